// Compares passwords with slow hashes in a thread of its own. What is no hash belongs to no password.
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { PasswordReply, PasswordRequest } from './password-thread.ts';

function isSame(password: string, hash: string): boolean {
  try {
    return compareSync(password, hash);
  } catch {
    return false;
  }
}

parentPort?.on('message', ({ ticket, password, hash }: PasswordRequest) => {
  const response: PasswordReply = { ticket, isSame: isSame(password, hash) };
  parentPort?.postMessage(response);
});
