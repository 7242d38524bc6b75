import { formatElapsed } from '@chandlery/api';
import type { NodeStatus, podNameOf } from '@chandlery/workflow';
import { oneLine } from '../output/report-error.ts';
import { align } from '../output/table.ts';
import { nodeTrees, type TreeItem } from './node-tree.ts';

/** Symbols of phases, as Argo's command line has them. */
export const phaseSymbols = {
  Pending: '◷',
  Running: '●',
  Succeeded: '✔',
  Skipped: '○',
  Omitted: '○',
  Failed: '✖',
  Error: '⚠',
} as const;

/** The symbol of a node that waits until it is resumed. */
const suspendedSymbol = 'ǁ';

export interface DrawOptions {
  /** The name of the workflow. */
  readonly workflow: string;
  readonly now: Date;
  readonly podNameOf: typeof podNameOf;
}

/** The nodes of a workflow as a table whose first column is a tree; empty when there are none yet. */
export function drawNodes(nodes: readonly NodeStatus[], options: DrawOptions): string {
  const rows = nodeTrees(nodes).flatMap((root, at) => [
    ...(at === 0 ? [] : [['']]),
    ...rowsOf(root, { first: ' ', rest: ' ' }, options),
  ]);
  return rows.length === 0 ? '' : align([['STEP', 'TEMPLATE', 'PODNAME', 'DURATION', 'MESSAGE'], ...rows]);
}

/** What stands before the line of an item, and before those below it. */
interface Prefix {
  readonly first: string;
  readonly rest: string;
}

function rowsOf(item: TreeItem, { first, rest }: Prefix, options: DrawOptions): string[][] {
  switch (item.kind) {
    case 'node':
      return [
        rowOf(item.node, first, options),
        ...item.children.flatMap((child, at) => {
          const isLast = at === item.children.length - 1;
          return rowsOf(child, { first: rest + (isLast ? '└─' : '├─'), rest: rest + below(isLast) }, options);
        }),
      ];
    case 'group':
      return item.members.flatMap((member, at) => {
        const isLast = at === item.members.length - 1;
        // The first member stands on the line of its group.
        const start = at === 0 ? first + (isLast ? '──' : '┬─') : rest + (isLast ? '└─' : '├─');
        return rowsOf(member, { first: start, rest: rest + below(isLast) }, options);
      });
  }
}

const below = (isLast: boolean): string => (isLast ? '  ' : '│ ');

function rowOf(node: NodeStatus, prefix: string, { workflow, now, podNameOf: podName }: DrawOptions): string[] {
  const template = templateOf(node);
  return [
    `${prefix}${symbolOf(node)} ${node.displayName}`,
    node.templateRef === undefined ? template : `${node.templateRef.name}/${template}`,
    node.type === 'Pod' ? podName(workflow, node.name, template) : '',
    formatElapsed(node, now),
    oneLine(node.message ?? ''),
  ];
}

/** The template of a node. */
export const templateOf = ({ templateName, templateRef }: NodeStatus): string =>
  templateName ?? templateRef?.template ?? '';

/** The symbol of a node. */
export const symbolOf = ({ type, phase }: NodeStatus): string =>
  type === 'Suspend' && phase === 'Running' ? suspendedSymbol : (phaseSymbols[phase] ?? '?');
