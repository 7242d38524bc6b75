import type { Output } from '../command.ts';

const redrawMs = 200;

/** Smaller transfers are not worth a report. */
const minReportedBytes = 16 * 1024 * 1024;

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people: `16.8 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}

/** Reports how many bytes of a total are done. */
export interface ByteProgress {
  report(done: number): void;
  /** Ends the line that was drawn in place. */
  end(): void;
}

/** On a terminal one line that is drawn in place, otherwise a line for each quarter. Nothing for small transfers. */
export function byteProgress(output: Output, total: number, now: () => number = Date.now): ByteProgress {
  if (total < minReportedBytes) return { report: () => undefined, end: () => undefined };
  let [drawnAt, quarter] = [Number.NEGATIVE_INFINITY, 0];
  const share = (done: number): number => (total === 0 ? 1 : done / total);
  const text = (done: number): string => `${Math.floor(share(done) * 100)} % of ${formatBytes(total)}`;
  if (output.isTTY !== true)
    return {
      report: done => {
        const reached = Math.floor(share(done) * 4);
        if (reached > quarter) output.write(`${text(done)}\n`);
        quarter = Math.max(quarter, reached);
      },
      end: () => undefined,
    };
  return {
    report: done => {
      if (now() - drawnAt < redrawMs && done < total) return;
      drawnAt = now();
      output.write(`\r\u001b[K${text(done)}`);
    },
    end: () => void output.write(drawnAt === Number.NEGATIVE_INFINITY ? '' : '\r\u001b[K'),
  };
}
