// `npm test [-- words…] [--name pattern]`: the checks, then all tests; with words only the test files whose path
// contains one of them, and no checks. Ends with "N passed, N failed, N skipped" and fails when anything did.
//
// In a run of everything, a few files that failed run once more, alone: on a busy machine a story may miss a deadline of
// another process. What passes only then is named at the end, to be investigated.
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChecks } from './check/run-checks.ts';
import type { FileResult } from './test/messages.ts';
import { type Batch, planBatches } from './test/plan.ts';
import { runWorker } from './test/run-worker.ts';
import { fileReport, rejectEmpty, totalsLine, totalsOf } from './test/summary.ts';

/** Stories at full size (`CHANDLERY_TEST_LONG`) take up to half an hour, and more on a busy machine. */
const timeLimitS = process.env.CHANDLERY_TEST_LONG === undefined ? 600 : 3600;

const { values: flags, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    root: { type: 'string', default: join(import.meta.dirname, '..') },
    name: { type: 'string' },
    'time-limit-s': { type: 'string', default: String(timeLimitS) },
    'no-check': { type: 'boolean', default: false },
  },
});

const places = ['packages', 'apps', 'domains', 'examples', 'tools', 'test'];
/** Quick runs of the benches only show that these still work: `npm test -- bench` asks for them. */
const placesOnDemand = ['bench'];
/** Tests with peers that take minutes to fetch and to start: `npm run test:peers` asks for them. */
const isOnDemand = (file: string): boolean => file.endsWith('.peer.test.ts');

/** Two processes for unit tests, which compute; whole stories often wait for something, so that one more fits in. */
const processes = Math.min(2, availableParallelism());
const workers = processes + 1;

function findFiles(): string[] {
  const wanted = words.length === 0 ? places : [...places, ...placesOnDemand];
  const found = globSync(`{${wanted.join(',')}}/**/*.test.ts`, { cwd: flags.root, exclude: ['**/node_modules/**'] });
  const isWanted = (file: string): boolean =>
    words.length === 0 ? !isOnDemand(file) : words.some(word => file.includes(word));
  return found.filter(isWanted).sort();
}

/** Runs batches side by side; a batch whose process went down continues in a new one. */
async function runBatches(batches: readonly Batch[], width: number): Promise<FileResult[]> {
  const waiting = [...batches];
  const results: FileResult[] = [];
  const onResult = (raw: FileResult, output: string): void => {
    const result = flags.name === undefined ? rejectEmpty(raw) : raw;
    results.push(result);
    if (flags.name === undefined || result.passed + result.failed > 0) console.log(fileReport(result, output));
  };
  const options = {
    root: flags.root,
    timeLimitMs: Number(flags['time-limit-s']) * 1000,
    namePattern: flags.name,
    onResult,
    onLeftOpen: (files: readonly string[]) => console.log(`  note    something was left open by ${files.join(' or ')}`),
  };
  const runNext = async (): Promise<void> => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      const left = await runWorker(batch, options);
      if (left.length > 0) waiting.unshift(left);
    }
  };
  await Promise.all(Array.from({ length: width }, runNext));
  return results;
}

/** More failures than this are no bad luck. */
const maxSecondChances = 6;

const failedFiles = (results: readonly FileResult[]): string[] => [
  ...new Set(results.filter(({ failed }) => failed > 0).map(({ file }) => file)),
];

/** The results with those of files that failed replaced by a second run, and the files that this changed. */
async function runFailedAgain(results: readonly FileResult[]): Promise<{ results: FileResult[]; unsteady: string[] }> {
  const files = failedFiles(results);
  if (words.length > 0 || files.length > maxSecondChances) return { results: [...results], unsteady: [] };
  if (files.length > 0) console.log('\nonce more, alone');
  const again = await runBatches(
    files.map(file => [file]),
    1,
  );
  const stillFailing = failedFiles(again);
  return {
    results: [...results.filter(({ file }) => !files.includes(file)), ...again],
    unsteady: files.filter(file => !stillFailing.includes(file)),
  };
}

const listing = (title: string, files: readonly string[]): string =>
  `\n${title}:\n${files.map(file => `  ${file}`).join('\n')}`;

// Workers end with us; a signal would otherwise end only us.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const isWholeRun = words.length === 0 && flags.name === undefined && !flags['no-check'];
const areChecksFine = isWholeRun ? await runChecks({ root: flags.root }) : true;
console.log('tests');
const firstResults = await runBatches(planBatches(findFiles(), processes), workers);
const { results, unsteady } = await runFailedAgain(firstResults);
const totals = totalsOf(results);
const failed = failedFiles(results);
if (failed.length > 0) console.log(listing('failed', failed));
if (unsteady.length > 0) console.log(listing('unsteady: failed beside others and passed alone', unsteady));
if (!areChecksFine) console.log('\nthe checks failed, see above');
if (totals.passed + totals.failed === 0) console.log('\nno test ran');
console.log(`\n${totalsLine(totals)}`);
process.exitCode = areChecksFine && totals.failed === 0 && totals.passed > 0 ? 0 : 1;
