import type { FileResult } from './messages.ts';

/** What all files came to. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Adds up results. */
export function totalsOf(results: readonly FileResult[]): Totals {
  const sum = (key: keyof Totals): number => results.reduce((total, result) => total + result[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

/** A file that ran no test has failed: its author expects that it tests something. */
export function rejectEmpty(result: FileResult): FileResult {
  if (result.passed + result.failed + result.skipped > 0) return result;
  return { ...result, failed: 1, failures: ['the file reported no test at all'] };
}

/** The last line of a run; scripts read it. */
export const totalsLine = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** One line per file, and below it why tests were skipped and everything that failed. */
export function fileReport(
  { file, passed, failed, skipped, durationMs, cpuMs, failures, skipReasons }: FileResult,
  output: string,
): string {
  const facts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    seconds(durationMs),
    ...(cpuMs === undefined ? [] : [`${seconds(cpuMs)} of CPU`]),
  ];
  const headline = `  ${failed > 0 ? 'FAILED' : 'ok    '}  ${file}  (${facts.join(', ')})`;
  const reasons = skipReasons.map(reason => `    skipped: ${reason}`);
  if (failed === 0) return [headline, ...reasons].join('\n');
  const printed = output.trim() === '' ? [] : [`it printed:\n${output.trimEnd()}`];
  return [headline, ...reasons, ...[...failures, ...printed].map(text => text.replaceAll(/^/gm, '    '))].join('\n');
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
