import { quantile } from '../kernel/statistics.ts';
import { HttpLine } from './http-line.ts';
import type { LoadJob, LoadResult } from './load-job.ts';
import { askOf } from './workload.ts';

const tickMs = 1;

/** Runs one job to its end. Anything but the expected answers ends it with an error. */
export async function runLoad(job: LoadJob): Promise<LoadResult> {
  const lines = await Promise.all(
    Array.from({ length: job.connections }, (_, index) => HttpLine.open(targetOf(job, index))),
  );
  try {
    const { perSecond } = job;
    return await (perSecond === undefined ? runClosed(job, lines) : runPaced(job, lines, perSecond));
  } finally {
    for (const line of lines) line.close();
  }
}

function targetOf({ targets }: LoadJob, index: number) {
  const target = targets[index % targets.length];
  if (target === undefined) throw new Error('there is nothing to load');
  return target;
}

/** Every connection asks again as soon as it is answered. */
function runClosed(job: LoadJob, lines: readonly HttpLine[]): Promise<LoadResult> {
  const startedAt = performance.now();
  const latencies: number[] = [];
  return new Promise((resolve, reject) => {
    let open = lines.length;
    for (const line of lines) {
      let askedAt = 0;
      const ask = (): void => {
        askedAt = performance.now();
        line.send(askOf(job.operation, job.instances));
      };
      line.onFailure = reject;
      line.onAnswer = () => {
        const now = performance.now();
        latencies.push(now - askedAt);
        if (now - startedAt < job.durationMs) ask();
        else if (--open === 0) resolve(resultOf(latencies, now - startedAt));
      };
      ask();
    }
  });
}

/** Requests fall due at a steady rate, whatever becomes of earlier ones; the time counts from then. */
function runPaced(job: LoadJob, lines: readonly HttpLine[], perSecond: number): Promise<LoadResult> {
  const startedAt = performance.now();
  const total = Math.max(1, Math.floor((perSecond * job.durationMs) / 1000));
  const latencies: number[] = [];
  const idle = [...lines];
  const due: number[] = [];
  let begun = 0;
  return new Promise((resolve, reject) => {
    const send = (line: HttpLine, dueAt: number): void => {
      line.onAnswer = () => {
        const now = performance.now();
        latencies.push(now - dueAt);
        const next = due.shift();
        if (next === undefined) idle.push(line);
        else send(line, next);
        if (latencies.length < total) return;
        clearInterval(ticking);
        resolve(resultOf(latencies, now - startedAt));
      };
      line.send(askOf(job.operation, job.instances));
    };
    const tick = (): void => {
      const now = performance.now();
      const wanted = Math.min(total, Math.ceil(((now - startedAt) * perSecond) / 1000));
      for (; begun < wanted; begun++) {
        const line = idle.pop();
        if (line === undefined) due.push(now);
        else send(line, now);
      }
    };
    for (const line of lines) line.onFailure = reject;
    const ticking = setInterval(tick, tickMs);
  });
}

const resultOf = (latencies: readonly number[], elapsedMs: number): LoadResult => ({
  perSecond: (latencies.length * 1000) / elapsedMs,
  count: latencies.length,
  p50Ms: quantile(latencies, 0.5),
  p90Ms: quantile(latencies, 0.9),
  p99Ms: quantile(latencies, 0.99),
});
