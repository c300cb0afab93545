import type { Ledger } from '../ledger/ledger.ts';
import type { Client } from '../net/client.ts';
import type { Screen } from '../output/screen.ts';
import type { DeviceKey } from '../signing/device-key.ts';
import { layOutSnapshot, type SnapshotDraft, signSnapshot } from '../signing/sign-snapshot.ts';
import type { ScannedUsage } from './scan-usage.ts';

export interface Sender {
  readonly client: Client;
  readonly configDir: string;
  readonly codename: string;
  readonly key: DeviceKey;
  readonly ledger: Ledger;
  readonly scanned: ScannedUsage;
  readonly screen: Screen;
}

/** Signs current totals, or those at `asOf`. */
export function sign(
  { client, codename, key, ledger }: Sender,
  draft: Pick<SnapshotDraft, 'platform' | 'totals' | 'asOf'>,
): { readonly jti: string; readonly body: string } {
  const layout = layOutSnapshot({
    ...draft,
    codename,
    kid: key.kid,
    stream: ledger.stream,
    epoch: ledger.epoch,
    now: client.context.now(),
  });
  return { jti: layout.header.jti, body: signSnapshot(layout, key.privateKey) };
}
