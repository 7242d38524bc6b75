import type { KnownStatus } from './join-workflow.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Times as Kubernetes shows them. Those of executions have milliseconds, so that they can be restored exactly. */
export function inWholeSeconds({ status, nodes }: KnownStatus): KnownStatus {
  const shown = Object.entries(nodes).map(([id, node]) => [id, withoutFractions(node)] as const);
  return { status: withoutFractions(status), nodes: Object.fromEntries(shown) };
}

function withoutFractions(fields: Fields): Fields {
  const { startedAt, finishedAt } = fields;
  if (!hasFraction(startedAt) && !hasFraction(finishedAt)) return fields;
  return {
    ...fields,
    ...(hasFraction(startedAt) && { startedAt: cut(startedAt) }),
    ...(hasFraction(finishedAt) && { finishedAt: cut(finishedAt) }),
  };
}

const hasFraction = (time: unknown): time is string => typeof time === 'string' && time.includes('.');

const cut = (time: string): string => time.replace(/\.\d+/, '');
