import { join } from 'node:path';
import { freePort, startProcess } from '@chandlery/testing';

/** A moto that stands for AWS. */
export interface Moto extends AsyncDisposable {
  readonly url: string;
}

/** Starts moto on loopback. */
export async function startMoto(program: string): Promise<Moto> {
  const port = await freePort();
  const server = await startProcess(program, ['-H', '127.0.0.1', '-p', String(port)], {
    ready: /Running on http/,
    readyTimeoutMs: 120_000,
    // Where pip has put its modules when they are in a folder of ours.
    env: { PYTHONPATH: join(program, '../..') },
  });
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
