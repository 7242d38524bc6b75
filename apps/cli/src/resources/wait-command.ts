import { type Condition, compileJsonPath, type KubeObject } from '@chandlery/api';
import { didYouMean } from '@chandlery/platform';
import { secondsOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command } from '../command.ts';
import { labelOf, namedBy, openScope, scopeFlags, targetsOf } from './scope.ts';
import { notReady, until, untilDeleted } from './until.ts';

export const waitCommand: Command = {
  name: 'wait',
  summary: 'Wait until objects are ready, deleted, or have a condition',
  group: 'Objects of any kind',
  usage: 'KIND NAME… | KIND/NAME… [flags]',
  examples: [
    'chandlery wait postgresdatabase/shop',
    'chandlery wait controlplane/shop --for deleted --timeout 60',
    "chandlery wait order/x --for 'jsonpath={.status.phase}=Succeeded'",
  ],
  arguments: { required: ['KIND'], hasMore: true },
  formats: [],
  options: {
    for: {
      type: 'text',
      valueName: 'WHAT',
      choices: ['ready', 'deleted', 'condition=', 'jsonpath='],
      about: 'ready, deleted, condition=TYPE[=STATUS] or jsonpath={PATH}=VALUE. Default: ready.',
    },
    ...scopeFlags,
    timeout: { type: 'text', valueName: 'TIME', about: 'How long to wait for each of them. Default: 300s.' },
  },
  goal: args => `wait for ${namedBy(args)}`,
  async run(context) {
    const { flags, args, stdout, stderr: progress } = context;
    const timeoutMs = secondsOf(flags, 'timeout', 300);
    const goal = parseGoal(flags.text('for') ?? 'ready');
    await using scope = await openScope(context);
    for (const { kind, ref } of targetsOf(args, scope)) {
      const label = labelOf(kind, ref.name);
      if (!goal.isDeletion) await scope.client.get(ref);
      const waiting = { timeoutMs, progress, label, cluster: flags.text('cluster') };
      await (goal.isDeletion
        ? untilDeleted(scope.client, ref, waiting)
        : until(scope.client, ref, {
            ...waiting,
            isDone: goal.isReached,
            state: 'it has not happened',
            reasonOf: object => whyNot(object, goal),
          }));
      stdout.write(`${label} ${goal.reached}\n`);
    }
    return 0;
  },
};

/** What is waited for. */
export interface Goal {
  readonly isReached: (object: KubeObject | undefined) => boolean;
  /** Worded to follow the object's name. */
  readonly reached: string;
  readonly isDeletion: boolean;
  /** The type of the condition that is waited for. */
  readonly condition?: string;
}

/** Reads the value of `--for`. */
export function parseGoal(text: string): Goal {
  if (text === 'delete' || text === 'deleted')
    return { isReached: object => object === undefined, reached: 'deleted', isDeletion: true };
  if (text === 'ready') return conditionGoal('Ready', 'True', 'ready');
  const [, type, status = 'True'] = /^condition=([^=]+)(?:=(.+))?$/.exec(text) ?? [];
  if (type !== undefined) return conditionGoal(type, status, 'condition met');
  const [, path, value] = /^jsonpath=\{?([^{}]+)\}?=(.*)$/s.exec(text) ?? [];
  if (path !== undefined && value !== undefined) return pathGoal(path, value);
  throw usageError(
    'InvalidOption',
    `--for must be ready, deleted, condition=TYPE[=STATUS] or jsonpath={PATH}=VALUE, not "${text}"`,
  );
}

const conditionGoal = (type: string, status: string, reached: string): Goal => ({
  isReached: object =>
    conditionsOf(object).some(
      condition => condition.type === type && condition.status.toLowerCase() === status.toLowerCase(),
    ),
  reached,
  isDeletion: false,
  condition: type,
});

function pathGoal(path: string, value: string): Goal {
  const compiled = compileJsonPath(path);
  return {
    isReached: object => object !== undefined && compiled(object).some(found => String(found) === value),
    reached: 'condition met',
    isDeletion: false,
  };
}

/** The conditions of any object. */
export const conditionsOf = (object: KubeObject | undefined): readonly Condition[] =>
  (object as { status?: { conditions?: readonly Condition[] } } | undefined)?.status?.conditions ?? [];

function whyNot(object: KubeObject | undefined, { condition: wanted }: Goal): string {
  if (object === undefined) return 'it was deleted';
  if (wanted === undefined || wanted === 'Ready') return notReady(object);
  const conditions = conditionsOf(object);
  const found = conditions.find(({ type }) => type === wanted);
  if (found !== undefined) return [`${wanted} is ${found.status}`, found.message].filter(Boolean).join(': ');
  const types = conditions.map(({ type }) => type);
  if (types.length === 0) return 'it has no conditions yet';
  return `it has no condition "${wanted}"${didYouMean(wanted, types)}; it has ${types.join(', ')}`;
}
