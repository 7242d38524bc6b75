// The real server, and an ear for SIGUSR2: it then tidies its memory and prints how much is in use.
import { up } from '@chandlery/server';

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  setTimeout(() => {
    globalThis.gc?.();
    console.log(`memory ${JSON.stringify(process.memoryUsage())}`);
  }, 200);
});

await up(process.argv.slice(2), { env: process.env, cwd: process.cwd(), print: text => process.stdout.write(text) });
