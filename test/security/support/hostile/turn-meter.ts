// Loaded into a server before the rest of it: reports over HTTP, on the port of CHANDLERY_TEST_METER_PORT, what its main
// thread has worked since the last question, and the longest time it worked without a break.
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';

const sampleMs = 1;

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function startMeter(port: number): void {
  let startMs = threadMs();
  let lastMs = startMs;
  let maxMs = 0;
  // A timer fires only between two turns of the event loop: what was worked since it last did is one turn, or a few short ones.
  const sample = (): void => {
    const now = threadMs();
    maxMs = Math.max(maxMs, now - lastMs);
    lastMs = now;
  };
  setInterval(sample, sampleMs).unref();
  const server = createServer((request, response) => {
    sample();
    if (request.url === '/collect') globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    response.end(JSON.stringify({ cpuMs: lastMs - startMs, maxMs, rss, usedBytes: heapUsed + external }));
    lastMs = threadMs();
    startMs = lastMs;
    maxMs = 0;
  });
  server.listen(port, '127.0.0.1').unref();
}

if (isMainThread && process.env.CHANDLERY_TEST_METER_PORT !== undefined) {
  startMeter(Number(process.env.CHANDLERY_TEST_METER_PORT));
}
