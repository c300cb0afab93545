import { randomInt } from 'node:crypto';
import { insertUnlessTaken } from '../../mongo/index.ts';
import { MAX_KEPT_DEVICES, MAX_LIVE_DEVICES } from '../limits.ts';
import type { DeviceRecord } from '../types.ts';
import type { DeviceDocument, Models } from './models.ts';

/** Attempts to take a free slot: each failure means that a concurrent enrolment took it. */
const MAX_SLOT_TRIES = 100;

/** A device key for verification. `revokedAt` is in milliseconds since the epoch, null while the key is valid. */
export type DeviceKey = ReturnType<typeof toKey>;

/** A device to store. */
type NewDevice = Omit<DeviceKey, 'revokedAt'> &
  Pick<DeviceRecord, 'name'> & {
    readonly createdAt: Date;
    /** Of the key of an automation token: its hash and its end. */
    readonly automation?: Required<Pick<DeviceDocument, 'token' | 'expires_at'>>;
  };

export type DeviceStore = ReturnType<typeof createDeviceStore>;

/** Device keys. Each live device has one of its operator's slots; a unique index keeps slots from being shared. */
export function createDeviceStore({ devices }: Models) {
  return {
    ...createTokenStore(devices),

    /** Stores a device in a free slot of its operator. `exists`: the key is enrolled, for this operator or another. */
    async insert(device: NewDevice): Promise<'inserted' | 'exists' | 'full'> {
      const { kid, operator, publicKey, name, createdAt, automation } = device;
      for (let tries = 0; tries < MAX_SLOT_TRIES; tries += 1) {
        const free = await freeSlots(devices, operator);
        if (free === null) return 'full';
        const slot = free[randomInt(free.length)] ?? 0;
        const document = { _id: kid, operator, x: publicKey, name, created_at: createdAt, slot, ...automation };
        if (await insertUnlessTaken(() => devices.insertOne(document))) return 'inserted';
        if ((await devices.countDocuments({ _id: kid })) > 0) return 'exists';
      }
      throw new Error(`no free device slot after ${MAX_SLOT_TRIES} attempts`);
    },

    async find(kid: string): Promise<{ readonly operator: number; readonly device: DeviceRecord } | null> {
      const document = await devices.findOne({ _id: kid }).lean();
      return document === null ? null : { operator: document.operator, device: toRecord(document) };
    },

    async list(operator: number): Promise<readonly DeviceRecord[]> {
      return (await devices.find({ operator }).sort({ created_at: 1, _id: 1 }).lean()).map(toRecord);
    },

    /** True when the operator has the device. A device already revoked keeps its time of revocation. */
    async revoke(operator: number, kid: string, at: Date): Promise<boolean> {
      const live = { _id: kid, operator, revoked_at: { $exists: false } };
      const update = { $set: { revoked_at: at }, $unset: { slot: true } } as const;
      if ((await devices.updateOne(live, update)).matchedCount === 1) return true;
      return (await devices.countDocuments({ _id: kid, operator })) > 0;
    },

    async rename(operator: number, kid: string, name: string | null): Promise<boolean> {
      return (await devices.updateOne({ _id: kid, operator }, { $set: { name } })).matchedCount === 1;
    },

    async eraseOf(operator: number): Promise<void> {
      await devices.deleteMany({ operator });
    },

    /** The ids of keys revoked at or after a time. */
    async revokedSince(at: Date): Promise<readonly string[]> {
      const found = await devices.find({ revoked_at: { $gte: at } }, { _id: 1 }).lean();
      return found.map(({ _id }) => _id);
    },

    async keys(kids: readonly string[]): Promise<ReadonlyMap<string, DeviceKey>> {
      const found = await devices.find({ _id: { $in: [...kids] } }, { operator: 1, x: 1, revoked_at: 1 }).lean();
      return new Map(found.map((document) => [document._id, toKey(document)]));
    },
  };
}

/** The free slots, or null when the operator cannot enrol another device. */
async function freeSlots(devices: Models['devices'], operator: number): Promise<readonly number[] | null> {
  const found = await devices.find({ operator }, { _id: 0, slot: 1 }).limit(MAX_KEPT_DEVICES).lean();
  const held = new Set(found.map(({ slot }) => slot));
  const free = Array.from({ length: MAX_LIVE_DEVICES }, (_, slot) => slot).filter((slot) => !held.has(slot));
  return free.length === 0 || found.length === MAX_KEPT_DEVICES ? null : free;
}

/** The automation tokens from which device keys are derived. */
function createTokenStore(devices: Models['devices']) {
  return {
    /** Records a use of an automation token, and returns its operator; null when it is unknown, revoked or expired. */
    async useToken(token: string, at: Date): Promise<number | null> {
      const valid = { token, revoked_at: { $exists: false }, expires_at: { $gt: at } };
      return (await devices.findOneAndUpdate(valid, { $set: { used_at: at } }).lean())?.operator ?? null;
    },

    /** Revokes the automation tokens of an operator. */
    async revokeTokens(operator: number, at: Date): Promise<void> {
      const live = { operator, token: { $exists: true }, revoked_at: { $exists: false } };
      await devices.updateMany(live, { $set: { revoked_at: at }, $unset: { slot: true } });
    },
  };
}

function toRecord({ _id, x, name, created_at, revoked_at, expires_at, used_at }: DeviceDocument): DeviceRecord {
  return {
    kid: _id,
    x,
    name,
    created_at: created_at.toISOString(),
    revoked_at: revoked_at?.toISOString() ?? null,
    ...(expires_at && {
      automation: { expires_at: expires_at.toISOString(), used_at: used_at?.toISOString() ?? null },
    }),
  };
}

function toKey({ _id, operator, x, revoked_at }: Pick<DeviceDocument, '_id' | 'operator' | 'x' | 'revoked_at'>) {
  return { kid: _id, operator, publicKey: x, revokedAt: revoked_at?.getTime() ?? null };
}
