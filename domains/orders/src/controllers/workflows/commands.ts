import type { Command, Observation, WorkflowStatus } from '@chandlery/workflow';
import type { NodeEdits, WorkflowRecord } from '../../kinds/workflows/index.ts';
import { isCompletedPhase, suppliedValues } from '../../model/workflows/node-edits.ts';

interface ControlFields {
  readonly shutdown?: 'Stop' | 'Terminate';
  readonly suspend?: boolean;
}

type Nodes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The commands that a client gave by writing the spec or nodes of a running Workflow. */
export function commandsOf(record: WorkflowRecord, status: WorkflowStatus, nodes: () => Nodes): readonly Observation[] {
  const { shutdown, suspend = false } = record.spec as ControlFields;
  const commands: Command[] = [...editCommands(record.edits, nodes)];
  const isSuspended = status.suspended ?? false;
  if (suspend && !isSuspended && status.suspended === undefined) commands.push({ name: 'suspend' });
  if (!suspend && isSuspended) commands.push({ name: 'unsuspend' });
  if (shutdown !== undefined && shutdown !== status.shutdown)
    commands.push({ name: shutdown === 'Terminate' ? 'terminate' : 'stop' });
  return commands.map(command => ({ kind: 'command', command }));
}

function editCommands(edits: NodeEdits | undefined, nodes: () => Nodes): readonly Command[] {
  if (edits?.nodes === undefined || edits.restart === true) return [];
  const known = nodes();
  return Object.entries(edits.nodes).flatMap(([id, edited]): readonly Command[] => {
    const node = known[id];
    // Taken over before the server stopped: the record was not updated in time.
    if (node === undefined || node['type'] !== 'Suspend' || node['phase'] !== 'Running') return [];
    const before = suppliedValues(node);
    const added = [...suppliedValues(edited)].filter(([name]) => !before.has(name));
    const { phase, message } = edited as { phase?: 'Succeeded' | 'Failed' | 'Error'; message?: string };
    return [
      {
        name: 'set',
        selector: `id=${id}`,
        parameters: Object.fromEntries(added),
        ...(isCompletedPhase(phase) && phase !== undefined && { phase }),
        ...(message !== undefined && { message }),
      },
    ];
  });
}
