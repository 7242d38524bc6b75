// Loaded into a server before the rest of it: on SIGUSR2 it collects its garbage and prints how many bytes are in use.
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

async function report(): Promise<void> {
  // What one collection lets go of may hold more that only the next one finds.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await sleep(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  console.log(`memory in use: ${heapUsed + external}`);
}

if (isMainThread) process.on('SIGUSR2', () => void report());
