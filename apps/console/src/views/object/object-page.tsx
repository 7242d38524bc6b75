import { type KubeObject, situationOf } from '@chandlery/api';
import { lazy, Suspense } from 'react';
import { useDenial } from '../../api/access.ts';
import type { ObjectName, ServedKind } from '../../api/kinds.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation } from '../../routing/location.ts';
import { kindHref } from '../../routing/paths.ts';
import { useCluster, useKind } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { EmptyState, FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ConditionsTab } from './conditions-tab.tsx';
import { DeleteButton } from './delete-button.tsx';
import { EventsTab } from './events-tab.tsx';
import { useLiveObject } from './live-object.ts';
import { LogsTab } from './logs-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';

const YamlTab = lazy(() => import('./yaml-tab.tsx'));
const RelationsTab = lazy(() => import('./relations-tab.tsx'));

const tabLabels = {
  overview: 'Overview',
  conditions: 'Conditions',
  relations: 'Relations',
  events: 'Events',
  logs: 'Logs',
  yaml: 'YAML',
} as const;
type TabName = keyof typeof tabLabels;

interface ObjectPageProps extends ObjectName {
  readonly group: string;
  readonly plural: string;
}

/** Everything about one object, with the same tabs for every kind. */
export function ObjectPage({ group, plural, namespace, name }: ObjectPageProps) {
  const kind = useKind(group, plural);
  const { cluster } = useCluster();
  if (kind === undefined)
    return <EmptyState title={`Cluster "${cluster}" serves no ${plural} of ${group || 'core'}`} />;
  return <ObjectOfKind key={`${namespace}/${name}`} kind={kind} namespace={namespace ?? ''} name={name} />;
}

function ObjectOfKind({ kind, namespace = '', name }: ObjectName & { readonly kind: ServedKind }) {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const { object, isDeleted = false, error } = useLiveObject(cluster, kind, { namespace, name });
  const deletionDenial = useDenial({ cluster, verb: 'delete', ...kind, namespace, name });
  usePageTitle(`${kind.kind} ${name}`);
  if (object === undefined && error !== undefined)
    return <FailureNotice goal={`read ${kind.kind} "${name}"`} error={error} />;
  if (object === undefined) return <Loading what={`${kind.kind} "${name}"`} />;
  const names = (Object.keys(tabLabels) as TabName[]).filter(tab => tab !== 'logs' || kind.kind === 'Pod');
  const wanted = query.get('tab') ?? 'overview';
  const selected = names.find(tab => tab === wanted) ?? 'overview';
  return (
    <>
      <ObjectHead kind={kind} object={object}>
        <DeleteButton kind={kind} object={object} isDeleted={isDeleted} denial={deletionDenial} />
      </ObjectHead>
      {isDeleted && <Notice kind="warning">This object was deleted. What you see is its last state.</Notice>}
      <Tabs
        label={`Parts of ${kind.kind} ${name}`}
        tabs={names.map(tab => ({ name: tab, label: tabLabels[tab] }))}
        selected={selected}
        onSelect={tab => changeQuery({ tab: tab === 'overview' ? undefined : tab })}
      >
        <Suspense fallback={<Loading what={tabLabels[selected]} />}>
          <TabContent tab={selected} kind={kind} object={object} />
        </Suspense>
      </Tabs>
    </>
  );
}

interface ObjectHeadProps {
  readonly kind: ServedKind;
  readonly object: KubeObject;
  readonly children: React.ReactNode;
}

function ObjectHead({ kind, object, children }: ObjectHeadProps) {
  const { cluster } = useCluster();
  const { state, reason, message } = situationOf(object);
  const { namespace, name = '' } = object.metadata;
  const given = (object as { readonly spec?: { readonly name?: unknown } }).spec?.name;
  return (
    <header className="page-head">
      <div>
        <p className="crumbs">
          <Link href={kindHref(cluster, kind, namespace === undefined ? {} : { ns: namespace })}>{kind.kind}</Link>
          {namespace !== undefined && <> in {namespace}</>}
          {typeof given === 'string' && given !== name && <> · {plainText(name)}</>}
        </p>
        <h1>{plainText(typeof given === 'string' ? given : name)}</h1>
        <p>
          <StateMark state={state} />
          {(reason ?? message) !== undefined && (
            <span className="situation"> {plainText([reason, message].filter(Boolean).join(': '))}</span>
          )}
        </p>
      </div>
      <div className="actions">{children}</div>
    </header>
  );
}

interface TabContentProps {
  readonly tab: TabName;
  readonly kind: ServedKind;
  readonly object: KubeObject;
}

function TabContent({ tab, kind, object }: TabContentProps) {
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
      return <YamlTab kind={kind} object={object} />;
  }
}
