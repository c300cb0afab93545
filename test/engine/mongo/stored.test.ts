import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { storedKinds, WITHOUT_PEOPLE } from '../../../api/site/pages/stored-kinds.ts';
import { loadConfig } from '../../../config/config.ts';
import { openModels } from '../../../engine/accounts/mongo/models.ts';
import { openBillingModels, openPurchaseModels } from '../../../engine/billing/mongo/models.ts';
import { openCaseModels } from '../../../engine/integrity/cases/index.ts';
import {
  type DocumentOf,
  defineStored,
  ensureStored,
  oneOf,
  openStored,
  orNull,
  part,
  required,
  shaped,
} from '../../../engine/mongo/index.ts';
import { useConnection } from '../../support/engines.ts';

const THINGS = defineStored(
  'things',
  {
    _id: required(String),
    kind: oneOf(['one', 'other']),
    label: required(String),
    owner: orNull(Number),
    seen: Date,
    place: part({ row: required(Number) }),
    data: shaped<Readonly<Record<string, unknown>>>(),
  },
  [
    { owner: 1, kind: 1 },
    { unique: true, partialFilterExpression: { owner: { $type: 'number' } } },
  ],
  [{ seen: 1 }, { sparse: true }],
);

const THING: DocumentOf<typeof THINGS> = { _id: 'a', kind: 'one', label: '', owner: null, data: { 'x.y': {} } };

/** What an insert of untyped members ends with. */
const failureOf = (insert: Promise<unknown>): Promise<string> =>
  insert.then(
    () => 'inserted',
    (error: unknown) => (error instanceof Error ? error.name : 'unknown'),
  );

describe('stored collections', () => {
  const connection = useConnection();

  it('keep a document as it is: empty texts and objects, and nothing for what is absent', async () => {
    const things = openStored(connection(), THINGS);
    await things.insertOne(THING);
    expect(await connection().collection('things').findOne({ kind: 'one' })).to.deep.equal(THING);
    expect(await things.findOne({ _id: 'a' }).lean()).to.deep.equal(THING);
    await things.updateOne({ _id: 'a' }, { $set: { seen: new Date(5), place: { row: 3 } } });
    expect(await things.findOne({ _id: 'a' }).lean()).to.deep.equal({ ...THING, seen: new Date(5), place: { row: 3 } });
  });

  it('refuse unknown members, missing ones and other types', async () => {
    const things = openStored(connection(), THINGS);
    const { label: _label, ...unlabelled } = THING;
    const cases: Readonly<Record<string, object>> = {
      StrictModeError: { ...THING, _id: 'b', more: 1 },
      ValidationError: { ...THING, _id: 'c', kind: 'third' },
    };
    for (const [name, document] of Object.entries(cases)) {
      expect(await failureOf(things.insertOne(document))).to.equal(name);
    }
    expect(await failureOf(things.insertOne({ ...unlabelled, _id: 'd' }))).to.equal('ValidationError');
    expect(await failureOf(things.insertOne({ ...THING, _id: 'e', seen: 'yesterday' }))).to.equal('ValidationError');
    expect(await failureOf(things.updateOne({ _id: 'a' }, { $set: { more: 1 } }))).to.equal('StrictModeError');
    expect(await failureOf(things.updateOne({ _id: 'a' }, { $set: { seen: 'yesterday' } }))).to.equal('CastError');
    expect(await things.countDocuments()).to.equal(1);
  });

  it('get their indexes once, however often they are asked for', async () => {
    const things = openStored(connection(), THINGS);
    await Promise.all([ensureStored([things]), ensureStored([openStored(connection(), THINGS)])]);
    const [, own, seen] = await connection().collection('things').indexes();
    expect(own).to.deep.include({ key: { owner: 1, kind: 1 }, unique: true });
    expect(seen).to.deep.include({ key: { seen: 1 }, sparse: true });
  });

  it('are each in the table of what is stored of people, or hold nothing of them', () => {
    const { archive } = loadConfig({ ARCHIVE_DIR: '/srv/archive', ARCHIVE_LICENSE: 'CC-BY-4.0' });
    const listed = storedKinds({ archive }).flatMap(({ collections }) => collections.split(' '));
    const files = readdirSync('engine', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const named = files.flatMap((path) =>
      Array.from(
        readFileSync(`engine/${path}`, 'utf8').matchAll(
          /defineStored\(\s*'(\w+)'|collection(?:<[^(]*>)?\('(\w+)'\)|'(board_(?!export)\w+)'/g,
        ),
        ([, stored, raw, board]) => stored ?? raw ?? board ?? '',
      ),
    );
    expect(new Set(named).size).to.be.above(40);
    expect([...listed, ...WITHOUT_PEOPLE].toSorted()).to.deep.equal([...new Set(named)].toSorted());
    for (const { kept } of storedKinds({ archive: null })) expect(kept).to.not.match(/NaN|undefined|\.\d/);
  });

  it('have a name of their own each', () => {
    const models = [openModels, openCaseModels, openBillingModels, openPurchaseModels].flatMap((open) =>
      Object.values(open(connection())).map(({ collection }) => collection.name),
    );
    expect(new Set(models)).to.have.property('size', 27);
    expect(models).to.have.length(27);
  });
});
