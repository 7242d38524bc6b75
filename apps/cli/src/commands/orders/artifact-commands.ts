import { basename, resolve } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { formatOf } from '../../args/global-flags.ts';
import type { Command, CommandContext } from '../../command.ts';
import { type ArtifactRecord, artifactUrn } from '../../orders/artifacts.ts';
import { downloadFile, downloadTo } from '../../orders/download-file.ts';
import { connectOrders, type OrdersClient } from '../../orders/orders-client.ts';
import { ordersGroup, tenantFlag } from '../../orders/orders-flags.ts';
import { uploadFile } from '../../orders/upload-file.ts';
import { byteProgress, formatBytes } from '../../output/byte-progress.ts';
import { formatValue, resultFormats } from '../../output/print-object.ts';
import { printOne } from '../../output/print-results.ts';

const defaultType = 'application/octet-stream';

/** Uploads a file. */
export const artifactPutCommand: Command = {
  name: 'artifact put',
  group: ordersGroup,
  summary: 'Upload a file as an artifact, which orders can have as a parameter',
  usage: 'FILE [flags]',
  examples: [
    'chandlery artifact put picture.png --content-type image/png',
    'chandlery artifact put film.mp4 --resume urn:ivcap:artifact:7b0d0c4e-3c7e-4c55-8d8e-1f1a5a7d9a01',
  ],
  arguments: { required: ['FILE'] },
  formats: resultFormats,
  options: {
    ...tenantFlag,
    name: { type: 'text', valueName: 'NAME', about: "Its name. Default: the file's." },
    'content-type': { type: 'text', valueName: 'TYPE', about: `What it is. Default: ${defaultType}.` },
    collection: { type: 'text', valueName: 'NAME', about: 'The collection it is added to. Default: none.' },
    resume: { type: 'text', valueName: 'ID', about: 'Continues an upload that was cut. Default: begins a new one.' },
  },
  notes: [
    'Files above 16 MB are uploaded in pieces (TUS): a cut connection is resumed, and --resume continues after the command has ended.',
  ],
  goal: ([file]) => `upload the file "${file}"`,
  async run(context) {
    const { flags, args, cwd, stderr } = context;
    const format = formatOf(flags, resultFormats);
    const file = args[0] ?? '';
    const resume = flags.text('resume');
    await using client = connectOrders(context);
    const record = await uploadFile(client, {
      path: resolve(cwd, file),
      headers: headersOf(context, file),
      contentType: flags.text('content-type') ?? defaultType,
      progress: total => byteProgress(stderr, total),
      onBegin: urn => stderr.write(`Uploading as ${urn}\n`),
      ...(resume !== undefined && { resume: artifactUrn(resume) }),
    });
    printOne(context, { object: record, format, render: storyOf });
    return 0;
  },
};

/** Headers are Latin-1 on the wire, and the landscape reads UTF-8. */
const headerText = (text: string): string => Buffer.from(text).toString('latin1');

function headersOf({ flags }: CommandContext, file: string): Readonly<Record<string, string>> {
  const collection = flags.text('collection');
  return {
    'x-name': headerText(flags.text('name') ?? basename(file)),
    ...(collection !== undefined && { 'x-collection': headerText(collection) }),
  };
}

const storyOf = ({ id, status, size = 0 }: ArtifactRecord): string => `${id} ${status} (${formatBytes(size)})\n`;

/** Downloads an artifact. */
export const artifactGetCommand: Command = {
  name: 'artifact get',
  group: ordersGroup,
  summary: 'Download an artifact to a file or to the standard output',
  usage: 'ID [flags]',
  examples: [
    'chandlery artifact get urn:ivcap:artifact:7b0d0c4e-3c7e-4c55-8d8e-1f1a5a7d9a01 --file picture.png',
    'chandlery artifact get 7b0d0c4e-3c7e-4c55-8d8e-1f1a5a7d9a01 -o json',
  ],
  arguments: { required: ['ID'] },
  options: {
    ...tenantFlag,
    file: {
      type: 'text',
      short: 'f',
      valueName: 'FILE',
      about: 'Where it is written to. Default: the standard output.',
    },
  },
  notes: [
    'FILE is there only when it is complete; the same command again continues a download that was cut.',
    '-o json and -o yaml print what is known about the artifact, and not its bytes.',
  ],
  goal: ([id]) => `download the artifact "${id}"`,
  async run(context) {
    const format = formatOf(context.flags);
    const urn = artifactUrn(context.args[0] ?? '');
    await using client = connectOrders(context);
    const artifact = await client.ask<ArtifactRecord>(['artifacts', urn]);
    if (format === 'table') await download(context, client, artifact);
    else context.stdout.write(formatValue(artifact, format));
    return 0;
  },
};

async function download(context: CommandContext, client: OrdersClient, artifact: ArtifactRecord): Promise<void> {
  const { flags, cwd, stdout, stderr } = context;
  if (artifact.status !== 'ready')
    throw new ChandleryError('NotReady', `its status is ${artifact.status}`, {
      hint: `"npx chandlery artifact put FILE --resume ${artifact.id}" continues an upload that was cut.`,
    });
  const file = flags.text('file');
  if (file === undefined) {
    assertPrintable(stdout.isTTY === true, artifact);
    await downloadTo(client, artifact, stdout);
    return;
  }
  await downloadFile(client, artifact, { path: resolve(cwd, file), progress: total => byteProgress(stderr, total) });
  stdout.write(`${file} written (${formatBytes(artifact.size ?? 0)})\n`);
}

/** Terminals get text alone: other bytes can leave them unusable. */
function assertPrintable(isTerminal: boolean, { 'mime-type': type = '' }: ArtifactRecord): void {
  if (!isTerminal || /^text\/|json|xml|yaml/.test(type)) return;
  throw new ChandleryError('NotPrintable', `it is ${type || 'of no known type'}, which a terminal cannot show`, {
    hint: 'Write it to a file with --file FILE.',
  });
}
