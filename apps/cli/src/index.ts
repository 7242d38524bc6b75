/** The `chandlery` command as a function. */
export type { Io, Output } from './command.ts';
export { main } from './main.ts';
