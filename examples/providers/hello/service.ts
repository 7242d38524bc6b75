// The domain service: greets once in its log, and stays.
import { once } from 'node:events';

console.log(`Hello ${process.env['GREET']}`);
const alive = setInterval(() => undefined, 60_000);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
clearInterval(alive);
