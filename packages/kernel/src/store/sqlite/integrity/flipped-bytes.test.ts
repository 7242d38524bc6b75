import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { keyOf, put, remove, textOf, write } from '../../contract/helpers.ts';
import { type Damage, formatKey, type Store, type StoredObject } from '../../store.ts';
import { openSqliteStore } from '../sqlite-store.ts';
import { verifySqliteFolder } from './verify-sqlite.ts';

const trials = 200;
/** The index of SQLite's log is rebuilt at every start from the log alone. */
const isDerived = (file: string): boolean => file.endsWith('-shm');

/** Everything that clients can read of a store, as one comparable text for each question. */
type Answers = ReadonlyMap<string, string>;

const questions: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  ...['n/1', 'n/17', 'm/3', 'gone', 'new/2'].map(
    path => [`get ${path}`, async (store: Store) => shown(await store.get(keyOf(path)))] as const,
  ),
  ['list everything', async store => (await store.list({ resource: '/things' })).items.map(shown)],
  ['list a namespace', async store => (await store.list({ resource: '/things', namespace: 'n' })).items.map(shown)],
  ['list others', async store => (await store.list({ resource: 'g/others' })).items.map(shown)],
  ['list by term', async store => (await store.list({ resource: '/things', terms: [[7]] })).items.map(shown)],
  ['by term', async store => (await Array.fromAsync(store.withTerm(8, 100))).map(shown).toSorted()],
  ['expired', async store => (await store.expired(2_000_000, 100)).map(shown)],
  ['collections', async store => store.collections()],
  ['fact', async store => store.facts.get('colour')],
];

const shown = (object: StoredObject | undefined): string | undefined =>
  object && `${formatKey(object.key)} ${object.revision} ${object.createdRevision} ${textOf(object)}`;

async function ask(store: Store): Promise<Answers> {
  const answers = new Map<string, string>();
  for (const [name, question] of questions) {
    try {
      answers.set(name, JSON.stringify((await question(store)) ?? null));
    } catch (failure) {
      assert.ok(isError(failure, 'StoreDamaged', 'Unavailable'), `${name}: ${String(failure)}`);
      answers.set(name, 'error');
    }
  }
  return answers;
}

/** Stores of some of everything: one stopped, and one killed with writes that are in its log only. */
async function makeSamples(folder: string) {
  const stopped = join(folder, 'stopped');
  const killed = join(folder, 'killed');
  const store = await openSqliteStore({ folder: stopped });
  const text = (no: number): string => `value ${no} ${'x'.repeat((no * 37) % 900)}`;
  for (let no = 0; no < 60; no++) {
    const extras = { text: text(no), terms: [7 + (no % 3)], unique: [`key ${no}`], expiresAt: 1_000_000 + no };
    await write(store, put(`${no % 2 === 0 ? 'm' : 'n'}/${no}`, extras));
  }
  await write(store, put('large', { text: 'y'.repeat(20_000) }), put('gone'));
  await write(store, put('o', { in: { resource: 'g/others', cluster: 'other' } }), remove('gone'));
  await store.facts.putIfAbsent('colour', 'blue');
  await store.compact(20);
  await store[Symbol.asyncDispose]();

  const running = join(folder, 'running');
  await cp(stopped, running, { recursive: true });
  await using writing = await openSqliteStore({ folder: running });
  const states = new Map<number, Answers>();
  const remember = async (): Promise<void> => void states.set(await writing.currentRevision(), await ask(writing));
  await remember();
  for (let no = 0; no < 8; no++) {
    await write(writing, put(`new/${no}`, { text: text(no), terms: [8] }));
    await write(writing, put(`n/${2 * no + 1}`, { text: `changed ${no}`, terms: [7] }));
    await remember();
    states.set((await writing.currentRevision()) - 1, new Map());
  }
  await cp(running, killed, { recursive: true });
  return { stopped, killed, states };
}

/** Numbers that look random, and are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

async function flipOne(folder: string, random: () => number): Promise<string> {
  const files = (await readdir(folder)).filter(file => !isDerived(file)).toSorted();
  const contents = await Promise.all(files.map(file => readFile(join(folder, file))));
  let place = Math.floor(random() * contents.reduce((sum, { length }) => sum + length, 0));
  for (const [index, bytes] of contents.entries()) {
    if (place >= bytes.length) {
      place -= bytes.length;
      continue;
    }
    bytes[place] = (bytes[place] ?? 0) ^ (1 + Math.floor(random() * 255));
    await writeFile(join(folder, files[index] ?? ''), bytes);
    return `${files[index]} at ${place}`;
  }
  return assert.fail('nothing was flipped');
}

/** The last revision that is still there, when acknowledged writes are reported as lost. */
function revisionBeforeLoss(damage: readonly Damage[]): number | undefined {
  const lost = damage.find(({ kind }) => kind === 'lost');
  const match = lost && /revisions (\d+) to/.exec(lost.message);
  return match ? Number(match[1]) - 1 : undefined;
}

async function assertServesNothingDamaged(folder: string, states: ReadonlyMap<number, Answers>, what: string) {
  let store: Awaited<ReturnType<typeof openSqliteStore>>;
  try {
    store = await openSqliteStore({ folder });
  } catch (failure) {
    assert.ok(isError(failure, 'StoreDamaged', 'Unavailable'), `${what}: ${String(failure)}`);
    return;
  }
  await using opened = store;
  const last = Math.max(...states.keys());
  const expected = states.get(revisionBeforeLoss(opened.damage) ?? last);
  assert.notEqual(opened.damage.length, 0, `${what}: the store does not report it`);
  for (const [question, answer] of await ask(opened)) {
    if (answer === 'error' || expected?.size === 0) continue;
    assert.equal(answer, expected?.get(question), `${what}: "${question}"`);
  }
}

test('every flipped byte of a SQLite store is found, and nothing damaged is served', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chandlery-flip-'));
  try {
    const { stopped, killed, states } = await makeSamples(folder);
    const first = new Map([...states].slice(0, 1));
    assert.deepEqual(verifySqliteFolder(stopped), [], 'a sound store');
    assert.deepEqual(verifySqliteFolder(killed), [], 'a sound store that was killed');
    const random = seeded(20_260_701);
    for (let trial = 0; trial < trials; trial++) {
      const [source, expected] = trial % 2 === 0 ? [stopped, first] : [killed, states];
      const target = join(folder, 'trial');
      await cp(source, target, { recursive: true });
      const what = `trial ${trial}, ${source === stopped ? 'stopped' : 'killed'}, ${await flipOne(target, random)}`;
      assert.notEqual(verifySqliteFolder(target).length, 0, `${what}: not found`);
      await assertServesNothingDamaged(target, expected, what);
      await rm(target, { recursive: true });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
