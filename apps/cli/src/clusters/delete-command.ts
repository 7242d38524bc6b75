import { ChandleryError, isError } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { secondsOf } from '../args/global-flags.ts';
import type { Command, CommandContext, Output } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { connectTo } from '../landscape/connect-to.ts';
import { followObject } from '../landscape/follow-object.ts';
import { confirmDeletion, yesFlag } from '../output/confirm.ts';
import {
  clustersGroup,
  conditionOf,
  findLogicalCluster,
  forceAnnotation,
  type LogicalCluster,
  logicalClusters,
} from './logical-cluster.ts';

export const clustersDeleteCommand: Command = {
  name: 'cluster delete',
  group: clustersGroup,
  summary: 'Delete a logical cluster with everything in it',
  usage: 'NAME [flags]',
  examples: [
    'chandlery cluster delete team-a',
    'chandlery cluster delete team-a --yes --force',
    'chandlery cluster delete team-a --yes --wait=false',
  ],
  arguments: { required: ['NAME'] },
  formats: [],
  options: {
    force: { type: 'switch', about: 'Remove objects without waiting for their finalizers.' },
    ...yesFlag,
    wait: { type: 'switch', about: 'Wait until it is deleted, showing what blocks it. Default: true.' },
    timeout: { type: 'text', valueName: 'TIME', about: 'How long to wait. Default: 300s.' },
  },
  notes: ['With --force, whatever the finalizers would have cleaned up elsewhere stays there.'],
  goal: ([name]) => `delete the logical cluster "${name}"`,
  async run(context) {
    const { flags, stdout } = context;
    const [name = ''] = context.args;
    const timeoutMs = secondsOf(flags, 'timeout', 300);
    const ref: ObjectRef = { ...logicalClusters, name };
    if (lasting.includes(name)) throw cannotGo(name);
    await using client = connect(context);
    await findLogicalCluster(client, name);
    const what = `the logical cluster "${name}"`;
    await confirmDeletion(context, { what, expected: name, goesWith: () => contentsOf(context, name) });
    const deleted = await client.delete(ref);
    if (flags.isOn('force')) await force(client, ref);
    if (!flags.isOn('wait', true)) {
      stdout.write(`logicalcluster.${logicalClusters.group}/${name} is being deleted\n`);
      return 0;
    }
    // While finalizers keep the object, the response is the object; otherwise it is a Status: the object is deleted.
    const { uid } = deleted.metadata;
    if (deleted.kind !== 'Status') await untilGone(client, ref, { uid, timeoutMs, progress: stdout });
    stdout.write(`logicalcluster.${logicalClusters.group}/${name} deleted\n`);
    return 0;
  },
};

/** Every landscape has these. */
const lasting: readonly string[] = ['platform', 'onboarding'];

const cannotGo = (name: string): ChandleryError =>
  new ChandleryError('Forbidden', `the landscape cannot do without the logical cluster "${name}"`, {
    hint: 'To remove the landscape with all of its clusters, stop it and delete its data folder.',
  });

/** What is deleted with a cluster. */
async function contentsOf(context: CommandContext, cluster: string): Promise<readonly string[]> {
  await using inside = connectTo(context, cluster);
  const { items } = await inside.list({ group: '', version: 'v1', plural: 'namespaces' });
  return items.map(({ metadata }) => `namespace ${metadata.name ?? ''} with everything in it`);
}

/** After the deletion, not before: a rejected one must leave no trace. */
async function force(client: Client, ref: ObjectRef): Promise<void> {
  const body = { metadata: { annotations: { [forceAnnotation]: 'true' } } };
  try {
    await client.patch(ref, { type: 'merge', body });
  } catch (thrown) {
    if (!isError(thrown, 'NotFound')) throw thrown;
  }
}

interface Wait {
  /** The uid of the deleted object; another one of the same name is not followed. */
  readonly uid: string | undefined;
  readonly timeoutMs: number;
  readonly progress: Output;
}

async function untilGone(client: Client, ref: ObjectRef, { uid, timeoutMs, progress }: Wait): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  let told = '';
  const isDone = (cluster: LogicalCluster | undefined): boolean => {
    if (cluster === undefined || (uid !== undefined && cluster.metadata.uid !== uid)) return true;
    const blocked = conditionOf(cluster, 'ContentsRemaining')?.message ?? '';
    if (blocked !== '' && blocked !== told) progress.write(`waiting: ${blocked}\n`);
    told = blocked;
    return false;
  };
  try {
    await followObject<LogicalCluster>(client, ref, { signal, isDone });
  } catch (thrown) {
    throw signal.aborted ? stillThere(timeoutMs, told) : thrown;
  }
}

const stillThere = (timeoutMs: number, blocked: string): Error =>
  new ChandleryError(
    'Timeout',
    `it is still there after ${timeoutMs / 1000} s${blocked === '' ? '' : `: ${blocked}`}`,
    {
      hint: 'Deletion continues. Let the controllers finish, or skip their finalizers with --force.',
    },
  );
