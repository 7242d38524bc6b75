import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import type { BackupSummary } from '@chandlery/server';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { loadServer } from '../landscape/server-module.ts';
import { colour } from '../output/colour.ts';
import { formatValue } from '../output/print-object.ts';

/** How long the server may be silent: a big snapshot takes a while to begin. */
const silenceMs = 120_000;

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Save everything in a running landscape, keys included, to a file',
  usage: 'FILE [flags]',
  examples: ['chandlery backup monday.backup', 'chandlery backup monday.backup --overwrite'],
  arguments: { required: ['FILE'] },
  options: { overwrite: { type: 'switch', about: 'Replace the file if it exists.' } },
  notes: ['The landscape keeps running; the backup is a snapshot.'],
  goal: ([file]) => `back up the landscape to ${file}`,
  async run(context) {
    const { flags, stdout, stderr, env } = context;
    const format = formatOf(flags);
    const file = resolve(context.cwd, context.args[0] ?? '');
    if (existsSync(file) && !flags.isOn('overwrite')) throw fileExists(file);
    if (!existsSync(dirname(file))) throw folderMissing(dirname(file));
    await using client = connect(context);
    const { body } = await client.raw('/admin/backup', { isFromRoot: true, timeoutMs: silenceMs });
    const saved = await save(body, file);
    const { header, count: objects } = saved;
    const result = { file, objects, bytes: saved.bytes, revision: header.revision, createdAt: header.createdAt };
    const story = `saved ${objects} objects at revision ${header.revision} to ${file} (${saved.bytes} bytes)\n`;
    stdout.write(format === 'table' ? story : formatValue(result, format));
    const warning = colour('Warning:', 'yellow', stderr, env);
    stderr.write(`${warning} the file holds the landscape's private keys; keep it as safe as the data folder.\n`);
    return 0;
  },
};

/** Under its name the file appears only when it is whole, verified and on disk. */
async function save(
  body: AsyncIterable<Uint8Array>,
  file: string,
): Promise<BackupSummary & { readonly bytes: number }> {
  const partial = `${file}.partial`;
  try {
    const bytes = await download(body, partial);
    const { backupFile, verifyBackup } = await loadServer();
    const summary = await verifyBackup(backupFile(partial));
    await rename(partial, file);
    return { ...summary, bytes };
  } catch (failure) {
    await rm(partial, { force: true });
    throw failure;
  }
}

async function download(body: AsyncIterable<Uint8Array>, path: string): Promise<number> {
  // An existing file might have a wider mode, which opening it would keep.
  await rm(path, { force: true });
  await using handle = await open(path, 'wx', 0o600);
  let bytes = 0;
  for await (const piece of body) {
    await handle.writeFile(piece);
    bytes += piece.length;
  }
  await handle.sync();
  return bytes;
}

const fileExists = (file: string): Error =>
  new ChandleryError('FileExists', `${file} exists already`, {
    hint: 'Name another file, or replace it with --overwrite.',
  });

const folderMissing = (folder: string): Error =>
  new ChandleryError('FolderMissing', `the folder ${folder} does not exist`, {
    hint: 'Create it, or name a file in another folder.',
  });
