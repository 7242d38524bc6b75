import { ChandleryError, type Condition, compileJsonPath, type KubeObject } from '@chandlery/api';
import { secondsOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command } from '../command.ts';
import { labelOf, openScope, scopeFlags, targetsOf } from './scope.ts';
import { until } from './until.ts';

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
      about: 'ready, deleted, condition=TYPE[=STATUS] or jsonpath={PATH}=VALUE. Default: ready.',
    },
    ...scopeFlags,
    timeout: { type: 'text', valueName: 'SECONDS', about: 'How long to wait for each of them. Default: 300.' },
  },
  goal: ([first]) => `wait for ${first ?? 'the objects'}`,
  async run(context) {
    const { flags, args, stdout } = context;
    const timeoutMs = secondsOf(flags, 'timeout', 300);
    const goal = parseGoal(flags.text('for') ?? 'ready');
    await using scope = await openScope(context);
    for (const { kind, ref } of targetsOf(args, scope)) {
      let last: KubeObject | undefined;
      if (!goal.isDeletion) await scope.client.get(ref);
      const isDone = (object: KubeObject | undefined): boolean => {
        last = object;
        return goal.isReached(object);
      };
      await until(scope.client, ref, { isDone, timeoutMs }, seconds => tooLate(seconds, goal, last));
      stdout.write(`${labelOf(kind, ref.name)} ${goal.reached}\n`);
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

function tooLate(seconds: number, { isDeletion }: Goal, last: KubeObject | undefined): Error {
  const ready = conditionsOf(last).find(({ type }) => type === 'Ready');
  const reason =
    ready === undefined ? '' : `; Ready is ${ready.status}: ${ready.reason} ${ready.message ?? ''}`.trimEnd();
  const why = isDeletion ? 'it is still there' : last === undefined ? 'it was deleted' : `it has not happened${reason}`;
  return new ChandleryError('Timeout', `after ${seconds} s ${why}`, {
    hint: 'Look at what it waits for with "npx chandlery trace KIND/NAME", or wait longer with --timeout.',
  });
}
