// Runs the test files named on the command line in this one process and reports to the process that started it.
import { join } from 'node:path';
import { type EventData, run } from 'node:test';
import { emptyResult, FileTally } from './file-tally.ts';
import type { FileResult } from './messages.ts';
import { send } from './worker-send.ts';

const namePattern = process.env.CHANDLERY_TEST_NAME;
const unfinished = new Set(process.argv.slice(2));
const tally = new FileTally();

function finish(result: FileResult | undefined): void {
  if (result === undefined) return;
  unfinished.delete(result.file);
  send({ type: 'finished', result });
}

/** Node ends with a few lines of counts; anything else at the outermost level is trouble outside of any test. */
function reportStray({ nesting, message }: EventData.TestDiagnostic): void {
  const isCount = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(message);
  if (nesting === 0 && !isCount) send({ type: 'stray', message });
}

// A runner that was killed cannot end us; the channel to it must not keep us running either.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();

run({
  files: [join(import.meta.dirname, 'suites.ts')],
  isolation: 'none',
  ...(namePattern === undefined ? {} : { testNamePatterns: [new RegExp(namePattern)] }),
})
  .on('test:enqueue', event => tally.found(event))
  .on('test:dequeue', event => {
    if (event.nesting === 0) send({ type: 'started', file: event.name });
  })
  .on('test:pass', event => finish(tally.passed(event)))
  .on('test:fail', event => finish(tally.failed(event)))
  .on('test:diagnostic', reportStray)
  // Files in which the name pattern matched nothing have no events of their own.
  .on('end', () => unfinished.forEach(file => finish(emptyResult(file))))
  .resume();
