import { openPlainServer } from './plain-server.ts';
import type { SubjectDeps } from './subject.ts';

/** The cost of the gRPC library alone: each stream gets one response, and no state is kept. */
export function openBare({ authority, counter }: Omit<SubjectDeps, 'mesh'>): Promise<number> {
  const answer = Buffer.alloc(0);
  return openPlainServer(authority, call => {
    call.once('data', () => call.write(answer));
    call.on('data', () => counter.note());
    call.on('error', () => undefined);
    call.on('end', () => call.end());
  });
}
