import { join } from 'node:path';
import {
  type Command,
  type NodeStatus,
  ProcessRunner,
  parseWorkflow,
  runWorkflow,
  SharedLocks,
  type Step,
} from '@chandlery/workflow';
import { type Case, type CaseCommand, documentsOf, type StoredDocument } from './cases.ts';
import type { Finished } from './snapshot.ts';

const images = { 'argoproj/argosay:v2': ['sh', join(import.meta.dirname, 'argosay.sh')] };

/** Executes a case in this process, with real processes for its containers. */
export async function runOnEngine(given: Case): Promise<Finished> {
  const { workflow, others } = documentsOf(given);
  const runner = new ProcessRunner({ images });
  try {
    const { status, nodes } = await runWorkflow(workflow, {
      runner,
      storedTemplates: storedTemplates(others),
      readConfigMap: (name, key) => dataOf(others, name)[key],
      locks: new SharedLocks(lock => limitOf(others, lock)),
      onStep: commander(given.commands ?? []),
    });
    return { name: given.metadata?.name ?? given.name, status, nodes };
  } finally {
    await runner.close();
  }
}

function storedTemplates(others: readonly StoredDocument[]) {
  const documents = others.filter(({ kind }) => kind.endsWith('WorkflowTemplate')).map(other => parseWorkflow(other));
  return {
    find: (name: string, isCluster: boolean) =>
      documents.find(
        ({ kind, metadata }) => metadata.name === name && (kind === 'ClusterWorkflowTemplate') === isCluster,
      ),
  };
}

const dataOf = (others: readonly StoredDocument[], name: string): Readonly<Record<string, string>> =>
  (others.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)?.['data'] ?? {}) as Readonly<
    Record<string, string>
  >;

function limitOf(others: readonly StoredDocument[], lock: string): number | undefined {
  const [, , name = '', key = ''] = lock.split('/');
  const text = dataOf(others, name)[key];
  return text === undefined ? undefined : Number(text);
}

/** Gives each command when its node runs. */
function commander(commands: readonly CaseCommand[]) {
  const waiting = [...commands];
  return ({ changed }: Step, give: (command: Command) => void): void => {
    const [next] = waiting;
    if (next === undefined || !changed.some(({ node }) => isRunning(node, next.when))) return;
    waiting.shift();
    for (const command of commandsOf(next)) give(command);
  };
}

const isRunning = ({ displayName, phase }: NodeStatus, name: string): boolean =>
  displayName === name && phase === 'Running';

function commandsOf({ when, do: what, set }: CaseCommand): readonly Command[] {
  if (what === 'Stop') return [{ name: 'stop' }];
  if (what === 'Terminate') return [{ name: 'terminate' }];
  const selector = `displayName=${when}`;
  const resume: Command = { name: 'resume', selector };
  return set === undefined ? [resume] : [{ name: 'set', selector, parameters: set }, resume];
}
