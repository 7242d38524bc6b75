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
    console.log(`memory ${JSON.stringify({ ...process.memoryUsage(), longestHoldMs })}`);
    delays.reset();
  }, 200);
});

await up(process.argv.slice(2), { env: process.env, cwd: process.cwd(), print: text => process.stdout.write(text) });
