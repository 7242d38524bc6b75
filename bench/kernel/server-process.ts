// The real server, and an ear for SIGUSR2: it then prints how long the main thread was held at most since the last time,
// collects garbage, and prints how much memory is in use.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { up } from '@chandlery/server';

const delays = monitorEventLoopDelay({ resolution: 5 });
delays.enable();

process.on('SIGUSR2', () => {
  const longestHoldMs = delays.max / 1e6;
  globalThis.gc?.();
  setTimeout(() => {
    globalThis.gc?.();
    const memory = process.memoryUsage();
    // In a later tick, so that collecting does not count.
    setTimeout(() => {
      delays.reset();
      console.log(`memory ${JSON.stringify({ ...memory, longestHoldMs })}`);
    }, 50);
  }, 200);
});

await up(process.argv.slice(2), { env: process.env, cwd: process.cwd(), print: text => process.stdout.write(text) });
