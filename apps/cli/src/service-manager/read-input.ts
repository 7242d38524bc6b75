import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { usageError } from '../args/usage-error.ts';
import type { CommandContext } from '../command.ts';

/** A text that is given as it is, as `@file`, or as `-` for the standard input. */
export async function readText(context: CommandContext, given: string): Promise<string> {
  if (given === '-') return readStdin(context);
  if (!given.startsWith('@')) return given;
  const path = resolve(context.cwd, given.slice(1));
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ChandleryError('NotFound', `cannot read the file ${path}`, { hint: 'Is the name right?', cause });
  });
}

/** A JSON object, given as {@link readText} takes it. What it says is never repeated: it may hold secrets. */
export async function readJson(context: CommandContext, given: string): Promise<Record<string, unknown>> {
  const text = await readText(context, given);
  const value = parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw usageError(
    'InvalidOption',
    value === undefined ? 'what was given is not valid JSON' : 'the JSON that was given is not an object',
    `Say it as '{"key": "value"}' or @file.`,
  );
}

/** The first line of the standard input; rejects once the signal is aborted. */
export async function readLine(context: CommandContext, signal?: AbortSignal): Promise<string> {
  let text = '';
  for await (const chunk of context.openStdin?.(signal) ?? []) {
    text += chunk.toString();
    if (text.includes('\n')) break;
  }
  return (text.split('\n')[0] ?? '').trim();
}

async function readStdin(context: CommandContext): Promise<string> {
  let text = '';
  for await (const chunk of context.openStdin?.() ?? []) text += chunk.toString();
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
