import type { ManagedBroker, PlatformBroker } from '../ports.ts';
import { brokerIdOfUrl, isSameUrl, type NamingRules, proxyName, proxyUrl } from './proxy-names.ts';

/** What is to be done about one broker at the platform. */
export type BrokerAction =
  | { readonly type: 'create'; readonly brokerId: string; readonly name: string; readonly url: string }
  | {
      readonly type: 'update';
      readonly brokerId: string;
      readonly current: PlatformBroker;
      readonly name: string;
      readonly url: string;
      /** The credentials that the platform has are not ours. */
      readonly needsCredentials: boolean;
    }
  | { readonly type: 'refetch'; readonly brokerId: string; readonly current: PlatformBroker }
  | { readonly type: 'delete'; readonly brokerId: string; readonly current: PlatformBroker };

/** What is to be done, and what people should know about it. */
export interface BrokerPlan {
  readonly actions: readonly BrokerAction[];
  readonly warnings: readonly string[];
}

export interface BrokerPlanInput {
  /** All that the service manager lists, or one of them. */
  readonly brokers: readonly ManagedBroker[];
  readonly platformBrokers: readonly PlatformBroker[];
  readonly naming: NamingRules;
  readonly isTakeoverEnabled: boolean;
  /** Names at the service manager that are left alone. */
  readonly blackList: readonly string[];
  /** Of which brokers those not in `brokers` are to go. Default: of all. */
  readonly onlyBrokerId?: string;
}

/** Compares what the service manager has with what the platform has. Brokers of others are never touched. */
export function planBrokers(input: BrokerPlanInput): BrokerPlan {
  const ours = oursById(input);
  const actions: BrokerAction[] = [];
  const warnings: string[] = [];
  const kept = new Set<PlatformBroker>();
  for (const broker of input.brokers) {
    const known = ours.get(broker.id) ?? [];
    if (input.blackList.includes(broker.name)) {
      known.forEach(entry => kept.add(entry));
      continue;
    }
    const decided = decide(broker, known, input);
    actions.push(...decided.actions);
    warnings.push(...decided.warnings);
    for (const action of decided.actions) if (action.type !== 'create') kept.add(action.current);
  }
  return { actions: [...actions, ...surplus(ours, kept, input)], warnings };
}

function oursById({ platformBrokers, naming }: BrokerPlanInput): ReadonlyMap<string, readonly PlatformBroker[]> {
  const ours = new Map<string, PlatformBroker[]>();
  for (const entry of platformBrokers) {
    const id = brokerIdOfUrl(naming, entry.url);
    if (id !== undefined) ours.set(id, [...(ours.get(id) ?? []), entry]);
  }
  return ours;
}

function decide(broker: ManagedBroker, known: readonly PlatformBroker[], input: BrokerPlanInput): BrokerPlan {
  const { naming, platformBrokers, isTakeoverEnabled } = input;
  const target = { brokerId: broker.id, name: proxyName(naming, broker), url: proxyUrl(naming, broker.id) };
  // Of several entries for one broker, which a rename cut short leaves behind, the one with the right name is kept.
  const current = known.find(({ name }) => name === target.name) ?? known[0];
  if (current !== undefined) return { actions: [keep(current, target)], warnings: [] };
  const original = platformBrokers.find(entry => isOriginal(entry, broker));
  if (original !== undefined && isTakeoverEnabled)
    return { actions: [{ type: 'update', current: original, ...target, needsCredentials: true }], warnings: [] };
  const warnings = original === undefined ? [] : [notTakenOver(broker, target.name)];
  const clash = platformBrokers.find(({ name }) => name === target.name);
  if (clash !== undefined) return { actions: [], warnings: [...warnings, nameTaken(broker, clash)] };
  return { actions: [{ type: 'create', ...target }], warnings };
}

interface Target {
  readonly brokerId: string;
  readonly name: string;
  readonly url: string;
}

function keep(current: PlatformBroker, target: Target): BrokerAction {
  const isMoved = !isSameUrl(current.url, target.url);
  if (!isMoved && current.name === target.name) return { type: 'refetch', brokerId: target.brokerId, current };
  return { type: 'update', current, ...target, needsCredentials: isMoved };
}

const isOriginal = (entry: PlatformBroker, { name, url }: ManagedBroker): boolean =>
  entry.name === name && isSameUrl(entry.url, url);

/** Entries of ours that the service manager does not list, each by itself. */
function surplus(
  ours: ReadonlyMap<string, readonly PlatformBroker[]>,
  kept: ReadonlySet<PlatformBroker>,
  { onlyBrokerId }: BrokerPlanInput,
): BrokerAction[] {
  return [...ours].flatMap(([brokerId, entries]) =>
    onlyBrokerId !== undefined && onlyBrokerId !== brokerId
      ? []
      : entries
          .filter(entry => !kept.has(entry))
          .map((current): BrokerAction => ({ type: 'delete', brokerId, current })),
  );
}

const notTakenOver = ({ name }: ManagedBroker, ourName: string): string =>
  `the platform has broker "${name}" itself and taking over is disabled: it is registered a second time as "${ourName}"`;

const nameTaken = ({ name }: ManagedBroker, { name: taken, url }: PlatformBroker): string =>
  `broker "${name}" cannot be registered: the platform has another broker named "${taken}" at ${url}`;
