import type { HttpClient } from '@chandlery/client';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { formatValue } from '../output/print-object.ts';
import { formatTable } from '../output/table.ts';

/** The encryption keys of a process, and how far objects are encrypted with the active one. */
export interface EncryptionStatus {
  readonly keys: readonly { readonly id: string; readonly createdAt: string; readonly isActive: boolean }[];
  /** Undefined: there was never more than one key. */
  readonly reencryption?: {
    readonly startedAt: string;
    readonly finishedAt?: string;
    readonly examined: number;
    readonly rewritten: number;
    readonly unreadable: number;
  };
}

export const readEncryption = async (client: HttpClient): Promise<EncryptionStatus> =>
  (await (await client.raw('/admin/encryption-keys', { isFromRoot: true })).json()) as EncryptionStatus;

export const keysStatusCommand: Command = {
  name: 'keys status',
  summary: 'Show the encryption keys, and how far objects are encrypted with the active one',
  usage: '[flags]',
  examples: ['chandlery keys status', 'chandlery keys status -w'],
  options: {},
  goal: () => 'read the state of the encryption keys',
  async run(context) {
    const format = formatOf(context.flags);
    await using client = connect(context);
    const status = await readEncryption(client);
    context.stdout.write(format === 'table' ? encryptionText(status) : formatValue(status, format));
    return 0;
  },
};

function encryptionText(status: EncryptionStatus): string {
  const rows = status.keys.map(({ id, createdAt, isActive }) => [id, createdAt, isActive ? 'encrypts' : 'decrypts']);
  return `${formatTable(['key', 'made', 'use'], rows)}${reencryptionText(status)}\n`;
}

/** One sentence on the objects that earlier keys have encrypted. */
export function reencryptionText({ keys, reencryption }: EncryptionStatus): string {
  if (reencryption === undefined)
    return keys.length > 1 ? 'Re-encryption has not begun yet.' : 'Nothing to re-encrypt.';
  const { finishedAt, examined, rewritten, unreadable } = reencryption;
  const progress = `${rewritten} of ${examined} objects rewritten`;
  const damage = unreadable === 0 ? '' : `, ${unreadable} unreadable`;
  return finishedAt === undefined
    ? `Re-encryption is under way: ${progress}${damage}.`
    : `Re-encrypted at ${finishedAt}: ${progress}${damage}.`;
}
