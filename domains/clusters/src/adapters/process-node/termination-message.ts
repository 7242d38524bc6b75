import type { Container } from '../../model/pods/pod.ts';
import type { Exit } from '../../model/pods/record.ts';
import { readLog } from './log-reader.ts';
import type { LogFiles } from './log-writer.ts';

/** The limits of the kubelet. */
const maxLines = 80;
const maxBytes = 2048;

/** Adds the end of the log to the exit of a container that failed, if its `terminationMessagePolicy` asks for it. */
export async function withTerminationMessage(
  exit: Exit,
  { terminationMessagePolicy }: Container,
  files: LogFiles,
  now: Date,
): Promise<Exit> {
  const isAsked = terminationMessagePolicy === 'FallbackToLogsOnError' && exit.exitCode !== 0;
  if (!isAsked || exit.message !== undefined) return exit;
  const chunks = await Array.fromAsync(readLog(files, undefined, { tailLines: maxLines }, now));
  const message = Buffer.concat(chunks).subarray(-maxBytes).toString();
  return message === '' ? exit : { ...exit, message };
}
