import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError, parseDurationMs } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import type { Flags } from '../args/flags.ts';
import { secondsOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { confirm, yesFlag } from '../output/confirm.ts';
import { type AuthorityDocument, enterStage, readAuthority } from './authority-document.ts';

const stages = ['trust', 'use', 'drop'] as const;
type Stage = (typeof stages)[number];

export const authorityRotateCommand: Command = {
  name: 'ca rotate',
  summary: "Replace the landscape's certificate authority while it serves",
  usage: '[--stage trust|use|drop] [flags]',
  examples: [
    'chandlery ca rotate',
    'chandlery ca rotate --drop-after 720h',
    'chandlery ca rotate --stage trust',
    'chandlery ca rotate --stage drop --yes',
  ],
  formats: [],
  options: {
    stage: {
      type: 'text',
      valueName: 'trust|use|drop',
      about:
        'trust: make a new authority and trust it beside the old one; use: it issues from now on; drop: trust the old one ' +
        'no more. Default: trust, then use.',
    },
    'drop-after': {
      type: 'text',
      valueName: 'DURATION',
      about: 'With use: drop the old one by itself after this time, as 720h. Default: never.',
    },
    force: { type: 'switch', about: 'With drop: although programs or users may need the old one.' },
    timeout: { type: 'text', valueName: 'TIME', about: 'How long to wait for all replicas. Default: 120s.' },
    ...yesFlag,
  },
  notes: [
    'Each stage is one commit that all replicas follow. A stage that is repeated changes nothing; a rotation that was',
    'interrupted continues with the same command. Until the old authority is dropped, kubeconfigs with the old ca.crt and',
    'client certificates of the old authority are accepted; "ca status" lists who uses such certificates.',
  ],
  goal: () => 'rotate the certificate authority',
  async run(context) {
    const { flags } = context;
    const stage = stageOf(flags);
    const timeoutMs = secondsOf(flags, 'timeout', 120);
    const dropAfterSeconds = dropAfterOf(flags, stage);
    await using client = connect(context);
    if (stage === 'drop') return await drop(context, client);
    if (stage !== 'use') await trust(context, client);
    if (stage === 'trust') return next(context, 'npx chandlery ca rotate --stage use');
    await untilFollowed(client, timeoutMs);
    await use(context, client, dropAfterSeconds);
    return next(context, 'when "npx chandlery ca status" lists no user: npx chandlery ca rotate --stage drop');
  },
};

async function trust({ stdout }: CommandContext, client: HttpClient): Promise<void> {
  const before = await readAuthority(client);
  const { present, phase } = await enterStage(client, { stage: 'trust' });
  const done = before.phase === 'settled' ? 'is trusted beside the old one' : `is trusted already (${phase})`;
  stdout.write(`the new authority ${present.name} ${done}\n`);
}

async function use({ stdout }: CommandContext, client: HttpClient, dropAfterSeconds?: number): Promise<void> {
  const request = { stage: 'use', ...(dropAfterSeconds === undefined ? {} : { dropAfterSeconds }) } as const;
  const { present, dropAt } = await enterStage(client, request);
  const end = dropAt === undefined ? '' : `; the old one is dropped at ${dropAt}`;
  stdout.write(`the authority ${present.name} issues${end}\n`);
}

async function drop(context: CommandContext, client: HttpClient): Promise<number> {
  const { old, phase } = await readAuthority(client);
  if (phase === 'issuing')
    await confirm(
      context,
      `Drop the old authority ${old?.name ?? ''}? Kubeconfigs with its certificate alone stop working.`,
    );
  await enterStage(client, { stage: 'drop', force: context.flags.isOn('force') });
  context.stdout.write(
    old === undefined ? 'there is no old authority\n' : `the authority ${old.name} is no longer trusted\n`,
  );
  return next(context, 'npx chandlery backup FILE');
}

function next({ stdout }: CommandContext, what: string): number {
  stdout.write(`Next: ${what}\n`);
  return 0;
}

const pollMs = 500;

/** Waits until every replica knows the new authority. Rejects with `Timeout` after the time. */
async function untilFollowed(client: HttpClient, timeoutMs: number): Promise<AuthorityDocument> {
  for (const until = performance.now() + timeoutMs; ; await sleep(pollMs)) {
    const document = await readAuthority(client);
    const behind = document.replicas.filter(({ isFollowing }) => !isFollowing).map(({ name }) => name);
    if (behind.length === 0) return document;
    if (performance.now() > until)
      throw new ChandleryError('Timeout', `these replicas do not follow yet: ${behind.join(', ')}`, {
        hint: 'See their logs. A replica that has stopped is forgotten after a minute; then repeat the command.',
      });
  }
}

function stageOf(flags: Flags): Stage | undefined {
  const text = flags.text('stage');
  if (text === undefined) return undefined;
  const stage = stages.find(known => known === text);
  if (stage !== undefined) return stage;
  throw usageError('InvalidOption', `--stage is "${text}", not one of ${stages.join(', ')}`);
}

function dropAfterOf(flags: Flags, stage: Stage | undefined): number | undefined {
  const text = flags.text('drop-after');
  if (text === undefined) return undefined;
  const ms = parseDurationMs(text);
  if (stage === 'trust' || stage === 'drop')
    throw usageError('InvalidOption', `--drop-after does not go with ${stage}`);
  if (ms !== undefined && ms >= 1000) return Math.round(ms / 1000);
  throw usageError('InvalidOption', `--drop-after must be a duration such as 720h, not "${text}"`);
}
