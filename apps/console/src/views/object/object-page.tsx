import { displayNameOf, type KubeObject, type Situation as SituationOfObject, situationOf } from '@chandlery/api';
import { lazy, Suspense, useEffect } from 'react';
import { useDenial } from '../../api/access.ts';
import { ApiFailure } from '../../api/api-failure.ts';
import type { ObjectName, ServedKind } from '../../api/kinds.ts';
import type { PastChoice } from '../../api/revisions.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, navigate, useViewLocation } from '../../routing/location.ts';
import { kindHref } from '../../routing/paths.ts';
import { useCluster, useKind } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNotice, FailurePage, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ExactTime } from '../../ui/time.tsx';
import { UnknownKind } from '../kind-list/kind-list-page.tsx';
import { syncProblem } from '../sync-problem.ts';
import { ConditionsTab } from './conditions-tab.tsx';
import { DeleteButton } from './delete-button.tsx';
import { EventsTab } from './events-tab.tsx';
import { useLiveObject } from './live-object.ts';
import { LogsTab } from './logs-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { type PastObject, pastChoiceOf, pastQuery, usePastObject } from './past-object.ts';

const HistoryTab = lazy(() => import('./history-tab.tsx'));
const YamlTab = lazy(() => import('./yaml-tab.tsx'));
const RelationsTab = lazy(() => import('./relations-tab.tsx'));

const tabLabels = {
  overview: 'Overview',
  conditions: 'Conditions',
  relations: 'Relations',
  events: 'Events',
  logs: 'Logs',
  yaml: 'YAML',
  history: 'History',
} as const;
type TabName = keyof typeof tabLabels;

/** What the address says of one tab means nothing to another. */
const tabQuery = { problems: undefined, container: undefined, from: undefined, to: undefined, restore: undefined };

interface ObjectPageProps extends ObjectName {
  readonly group: string;
  readonly plural: string;
}

/** Everything about one object, with the same tabs for every kind. */
export function ObjectPage({ group, plural, namespace, name }: ObjectPageProps) {
  const kind = useKind(group, plural);
  const { cluster } = useCluster();
  useEffect(() => {
    if (name === '' && kind !== undefined) navigate(kindHref(cluster, kind, { ns: namespace }), { replace: true });
  }, [cluster, kind, namespace, name]);
  if (kind === undefined) return <UnknownKind group={group} plural={plural} />;
  if (name === '') return null;
  return (
    <ObjectOfKind key={`${group}/${plural}/${namespace}/${name}`} kind={kind} namespace={namespace ?? ''} name={name} />
  );
}

function ObjectOfKind({ kind, namespace = '', name }: ObjectName & { readonly kind: ServedKind }) {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const { object: present, isDeleted = false, error } = useLiveObject(cluster, kind, { namespace, name });
  const choice = pastChoiceOf(query);
  const past = usePastObject(cluster, kind, { namespace, name }, choice);
  const deletionDenial = useDenial({ cluster, verb: 'delete', ...kind, namespace, name });
  usePageTitle(`${kind.kind} ${name}`);
  const isMissing = present === undefined && error instanceof ApiFailure && error.status === 404;
  if (present === undefined && error !== undefined && !isMissing)
    return <FailurePage title={name} goal={`read ${kind.kind} "${name}"`} error={error} />;
  if (present === undefined && !isMissing) return <Loading what={`${kind.kind} "${name}"`} />;
  const shown = choice === undefined ? present : past.object;
  const names = tabsOf(kind, {
    hasPresent: present !== undefined,
    isPast: choice !== undefined,
    hasPast: shown !== undefined,
  });
  const selected = names.find(tab => tab === query.get('tab')) ?? names[0] ?? 'history';
  return (
    <>
      <ObjectHead kind={kind} namespace={namespace} name={name} object={shown}>
        {present !== undefined && choice === undefined && (
          <DeleteButton kind={kind} object={present} isDeleted={isDeleted} denial={deletionDenial} />
        )}
      </ObjectHead>
      {isDeleted && choice === undefined && (
        <Notice kind="warning">This object was deleted. What you see is its last state.</Notice>
      )}
      {present !== undefined && error !== undefined && !isDeleted && (
        <FailureNotice goal={`follow ${kind.kind} "${name}": what you see may be old`} error={error} />
      )}
      {isMissing && choice === undefined && (
        <Notice kind="warning">
          There is no {kind.kind} "{plainText(name)}" now. If it was deleted, its history is below for some days.
        </Notice>
      )}
      {choice !== undefined && <PastNotice kind={kind} name={name} choice={choice} past={past} />}
      <Tabs
        label={`Parts of ${kind.kind} ${name}`}
        tabs={names.map(tab => ({ name: tab, label: tabLabels[tab] }))}
        selected={selected}
        onSelect={tab => changeQuery({ ...tabQuery, tab: tab === names[0] ? undefined : tab })}
      >
        <Suspense fallback={<Loading what={tabLabels[selected]} />}>
          {selected === 'history' ? (
            <HistoryTab kind={kind} namespace={namespace} name={name} present={isDeleted ? undefined : present} />
          ) : (
            shown && <TabContent tab={selected} kind={kind} object={shown} isPast={choice !== undefined} />
          )}
        </Suspense>
      </Tabs>
    </>
  );
}

interface Shown {
  readonly hasPresent: boolean;
  /** Whether the address asks for an earlier version, and whether there is one. */
  readonly isPast: boolean;
  readonly hasPast: boolean;
}

/** What is said of the past is what the object said itself; of an object that does not exist there is its history. */
function tabsOf(kind: ServedKind, { hasPresent, isPast, hasPast }: Shown): readonly TabName[] {
  if (isPast) return hasPast ? ['overview', 'conditions', 'yaml', 'history'] : ['history'];
  if (!hasPresent) return ['history'];
  return (Object.keys(tabLabels) as TabName[]).filter(tab => tab !== 'logs' || kind.kind === 'Pod');
}

interface PastNoticeProps {
  readonly kind: ServedKind;
  readonly name: string;
  readonly choice: PastChoice;
  readonly past: PastObject;
}

/** Says that the view shows the past, and leads back. */
function PastNotice({ kind, name, choice, past: { object, error } }: PastNoticeProps) {
  const when = 'at' in choice ? `at ${choice.at}` : `at revision ${choice.revision}`;
  return (
    <>
      {error !== undefined && <FailureNotice goal={`read ${kind.kind} "${name}" as it was ${when}`} error={error} />}
      <Notice kind="info">
        <p>
          <strong>The past</strong> · {kind.kind} "{plainText(name)}" as it was{' '}
          {'at' in choice ? (
            <>
              at <ExactTime at={choice.at} />
            </>
          ) : (
            when
          )}
          {'at' in choice && object !== undefined && ` (revision ${object.metadata.resourceVersion})`}
        </p>
        <div className="actions">
          <Button onClick={() => changeQuery(pastQuery(undefined))}>Show the present</Button>
        </div>
      </Notice>
    </>
  );
}

interface ObjectHeadProps extends ObjectName {
  readonly kind: ServedKind;
  /** Undefined: it is not there. */
  readonly object: KubeObject | undefined;
  readonly children: React.ReactNode;
}

function ObjectHead({ kind, namespace = '', name, object, children }: ObjectHeadProps) {
  const { cluster } = useCluster();
  const situation = object && situationOf(object);
  const problem = object && syncProblem(object);
  const given = (object && displayNameOf(object)) ?? name;
  return (
    <header className="page-head">
      <div>
        <p className="crumbs">
          <Link href={kindHref(cluster, kind, namespace === '' ? {} : { ns: namespace })}>{kind.kind}</Link>
          {namespace !== '' && <> · {namespace}</>}
          {given !== name && <> · {plainText(name)}</>}
        </p>
        <h1>{plainText(given)}</h1>
        {situation !== undefined && <Situation situation={situation} />}
        {problem !== undefined && (
          <p>
            <span className="state state-deleting">! {plainText(problem.reason)}</span>
            <span className="situation"> {plainText(problem.message)}</span>
          </p>
        )}
      </div>
      <div className="actions">{children}</div>
    </header>
  );
}

/** The state of an object and why. An object without a state needs none, unless its kind has a word for it. */
function Situation({ situation: { state, reason = '', message = '' } }: { readonly situation: SituationOfObject }) {
  if (state === 'exists') return reason === '' ? null : <StateMark state={state} word={plainText(reason)} />;
  const why = [reason, message].filter(text => text !== '').join(': ');
  return (
    <p>
      <StateMark state={state} />
      {why !== '' && <span className="situation"> {plainText(why)}</span>}
    </p>
  );
}

interface TabContentProps {
  readonly tab: Exclude<TabName, 'history'>;
  readonly kind: ServedKind;
  readonly object: KubeObject;
  /** Whether the object is an earlier version, which is not changed. */
  readonly isPast: boolean;
}

function TabContent({ tab, kind, object, isPast }: TabContentProps) {
  switch (tab) {
    case 'overview':
      return <OverviewTab object={object} />;
    case 'conditions':
      return <ConditionsTab object={object} />;
    case 'relations':
      return <RelationsTab object={object} />;
    case 'events':
      return <EventsTab object={object} />;
    case 'logs':
      return <LogsTab pod={object} />;
    case 'yaml':
      return <YamlTab key={String(isPast)} kind={kind} object={object} isPast={isPast} />;
  }
}
