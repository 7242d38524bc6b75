import { useState } from 'react';
import { type ClusterCapacity, drainCluster, readCapacity, readInstancesOn } from '../../api/fleet.ts';
import { Link } from '../../routing/link.tsx';
import { useViewLocation, viewHref } from '../../routing/location.ts';
import { objectHref, pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { ActionButton, OutcomeNotice, useActions } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Commands } from '../../ui/command-line.tsx';
import { commandText } from '../../ui/command-text.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Meter } from '../../ui/meter.tsx';
import { EmptyState, FailureNotice, FailurePage, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { StepLine } from '../../ui/step-line.tsx';
import { stepsUntil } from '../../ui/steps.ts';
import { Time } from '../../ui/time.tsx';
import { useRefreshed } from '../../ui/use-refreshed.ts';
import { Fact } from '../fact.tsx';
import { pageOf, pageSize } from '../kind-list/list-query.ts';
import { ConditionsTab } from '../object/conditions-tab.tsx';
import { useLiveObject } from '../object/live-object.ts';
import { fleetCluster, fleetKinds, useOperator } from './fleet-kinds.ts';
import { type ClusterObject, clusterLife, clusterStep, markOfCluster } from './fleet-objects.ts';
import { InstanceRows } from './own-instances.tsx';

const refreshMs = 3000;

/** A data-plane cluster: what is on it, what its agent has said, and how full it is. */
export function ClusterPage({ name }: { readonly name: string }) {
  const { object, isDeleted = false, error } = useLiveObject(fleetCluster, fleetKinds.clusters, { name });
  usePageTitle(`Cluster ${name}`);
  if (object === undefined && error !== undefined)
    return <FailurePage title={name} goal={`read the cluster "${name}"`} error={error} />;
  if (object === undefined) return <Loading what={`cluster "${name}"`} />;
  return <OpenCluster cluster={object as ClusterObject} isDeleted={isDeleted} />;
}

interface OpenClusterProps {
  readonly cluster: ClusterObject;
  readonly isDeleted: boolean;
}

function OpenCluster({ cluster, isDeleted }: OpenClusterProps) {
  const { spec, status = {} } = cluster;
  const { product, clusterId } = spec;
  const { isKnown, denial } = useOperator();
  const isOperator = isKnown && denial === undefined;
  const state = status.state ?? spec.initialState ?? 'cluster_accepted';
  return (
    <>
      <ClusterHead cluster={cluster} state={state} denial={isDeleted ? 'It was deleted' : denial} />
      {isDeleted && <Notice kind="warning">This cluster was removed. What you see is its last state.</Notice>}
      {status.isAgentSilent === true && (
        <Notice kind="warning">
          ! Its agent is silent: the cluster gets no new instances, and changes of those on it wait. Look at the log of
          the agent, and whether the cluster reaches the landscape.
        </Notice>
      )}
      {clusterLife.some(step => step === state) && (
        <StepLine
          label="Steps until it is ready"
          steps={stepsUntil(clusterLife, state).map(step => ({ ...step, name: clusterStep(step.name) }))}
        />
      )}
      <div className="cards">
        {isOperator && <CapacityCard product={product} clusterId={clusterId} reported={status.capacity} />}
        <AgentCard cluster={cluster} />
        <FactsCard cluster={cluster} />
      </div>
      <h2>Instances</h2>
      {isOperator ? (
        <InstancesOn product={product} clusterId={clusterId} />
      ) : (
        isKnown && <p className="quiet">{denial}</p>
      )}
      <h2>Conditions</h2>
      <ConditionsTab object={cluster} />
    </>
  );
}

interface ClusterHeadProps {
  readonly cluster: ClusterObject;
  readonly state: string;
  readonly denial: string | undefined;
}

function ClusterHead({ cluster, state, denial }: ClusterHeadProps) {
  const opened = useCluster().cluster;
  const [isAsked, setAsked] = useState(false);
  const { outcome, run } = useActions();
  const { spec, status = {}, metadata } = cluster;
  const { product, clusterId } = spec;
  const words = ['chandlery', 'fleet', 'cluster', 'drain', clusterId, '--product', product];
  return (
    <>
      <header className="page-head">
        <div>
          <p className="crumbs">
            <Link href={pageHref(opened, 'fleet', { product })}>Fleet</Link> · {plainText(product)} ·{' '}
            {plainText(spec.region)} of {plainText(spec.cloudProvider)} ·{' '}
            <Link href={objectHref(fleetCluster, fleetKinds.clusters, { name: metadata.name ?? '' })}>
              Object details
            </Link>
          </p>
          <h1>{plainText(spec.displayName ?? clusterId)}</h1>
          <p>
            <StateMark state={markOfCluster(state).state} word={clusterStep(state)} />
            {status.draining === true && <span className="state state-deleting"> ◌ Draining</span>}
            <span className="situation"> {plainText(status.failedReason ?? status.agentMessage ?? '')}</span>
          </p>
        </div>
        <div className="actions">
          {status.draining === true ? (
            <ActionButton
              kind="primary"
              disabledReason={denial}
              onAction={() =>
                run(
                  'let new instances in again',
                  () => drainCluster(product, clusterId, false),
                  'It gets new instances again',
                )
              }
            >
              Take new instances again
            </ActionButton>
          ) : (
            <Button
              kind="danger"
              disabledReason={denial}
              title="Keeps new instances away from it"
              onClick={() => setAsked(true)}
            >
              Drain…
            </Button>
          )}
        </div>
      </header>
      <OutcomeNotice outcome={outcome} />
      <Commands
        commands={[
          ['Drain', commandText(...words)],
          ['Take new instances again', commandText(...words, '--undo')],
        ]}
      />
      {isAsked && (
        <FormDialog
          title={`Drain ${plainText(clusterId)}?`}
          goal="drain the cluster"
          submit="Drain"
          kind="danger"
          command={commandText(...words)}
          onSubmit={async () => void (await drainCluster(product, clusterId, true))}
          onClose={() => setAsked(false)}
        >
          <p>
            It gets no new instances. Those on it stay until they are deleted; a cluster that the landscape made is
            removed when it is empty. You can take it back.
          </p>
        </FormDialog>
      )}
    </>
  );
}

interface CapacityCardProps {
  readonly product: string;
  readonly clusterId: string;
  readonly reported: NonNullable<ClusterObject['status']>['capacity'];
}

function CapacityCard({ product, clusterId, reported = {} }: CapacityCardProps) {
  const { value, error } = useRefreshed(signal => readCapacity(product, signal), [product], refreshMs);
  const found: ClusterCapacity | undefined = value
    ?.flatMap(({ clusters }) => clusters)
    .find(({ cluster_id: id }) => id === clusterId);
  return (
    <section className="card" aria-label="Capacity">
      <h2>Capacity</h2>
      {error !== undefined && <FailureNotice goal="read the capacity" error={error} />}
      {found !== undefined && (
        <Meter label={`Units on ${plainText(clusterId)}`} used={found.used} limit={found.limit ?? undefined} />
      )}
      {Object.entries(reported).map(([type, { maxUnits = 0, remainingUnits = 0 }]) => (
        <div key={type}>
          <h3>{plainText(type)}, as the agent says</h3>
          <Meter label={`Units of ${plainText(type)}`} used={maxUnits - remainingUnits} limit={maxUnits} />
        </div>
      ))}
    </section>
  );
}

function AgentCard({ cluster: { status = {} } }: Pick<OpenClusterProps, 'cluster'>) {
  const { lastSeenAt, isAgentSilent = false, agentMessage, operatorVersions = [] } = status;
  return (
    <section className="card" aria-label="Agent">
      <h2>Agent</h2>
      <dl className="facts">
        <Fact name="State">
          {lastSeenAt === undefined ? (
            <StateMark state="exists" word="Not seen yet" />
          ) : isAgentSilent ? (
            <StateMark state="failed" word="Silent" />
          ) : (
            <StateMark state="ready" word="Reports" />
          )}
        </Fact>
        <Fact name="Last report">
          <Time at={lastSeenAt} />
        </Fact>
        {agentMessage !== undefined && <Fact name="Says">{plainText(agentMessage)}</Fact>}
        <Fact name="Versions on offer">
          {operatorVersions.length === 0
            ? '–'
            : operatorVersions.map(({ version, ready, productVersions }) => (
                <p key={version}>
                  {plainText(productVersions.join(', '))}{' '}
                  <span className="quiet">
                    by operator {plainText(version)}
                    {!ready && ', not ready'}
                  </span>
                </p>
              ))}
        </Fact>
      </dl>
    </section>
  );
}

const originWords: Readonly<Record<string, string>> = {
  document: 'The configuration document',
  scaling: 'The landscape, because room was needed',
  manual: 'A user',
};

/** Where the landscape keeps the requests for its clusters. */
const requestNamespace = 'openmcp-system';
const clusterRequests = { group: 'clusters.openmcp.cloud', plural: 'clusterrequests' };

function FactsCard({ cluster: { spec, status = {} } }: Pick<OpenClusterProps, 'cluster'>) {
  const { clusterRequest, stateSince } = status;
  return (
    <section className="card" aria-label="Cluster">
      <h2>Cluster</h2>
      <dl className="facts">
        <Fact name="Region">
          {plainText(spec.region)} of {plainText(spec.cloudProvider)}
          {spec.multiAz === true && ', several zones'}
        </Fact>
        <Fact name="Instance types">{plainText(spec.supportedInstanceTypes?.join(', ') ?? 'All')}</Fact>
        <Fact name="Domain">
          <code>{plainText(status.clusterDns ?? spec.clusterDns ?? '–')}</code>
        </Fact>
        <Fact name="Added by">{originWords[spec.origin ?? ''] ?? '–'}</Fact>
        <Fact name="Created by">
          {spec.providerType === 'landscape' ? 'The landscape' : 'Its owner, before it was added'}
        </Fact>
        {clusterRequest !== undefined && (
          <Fact name="Created from">
            <Link href={objectHref('platform', clusterRequests, { namespace: requestNamespace, name: clusterRequest })}>
              {plainText(clusterRequest)}
            </Link>
          </Fact>
        )}
        <Fact name="In this state since">
          <Time at={stateSince} />
        </Fact>
      </dl>
    </section>
  );
}

interface InstancesOnProps {
  readonly product: string;
  readonly clusterId: string;
}

/** A page of the instances on a cluster: the server searches and pages. */
function InstancesOn({ product, clusterId }: InstancesOnProps) {
  const opened = useCluster().cluster;
  const page = pageOf(useViewLocation().query);
  const { value, error } = useRefreshed(
    signal => readInstancesOn(product, clusterId, { page, size: pageSize }, signal),
    [product, clusterId, page],
    refreshMs,
  );
  if (error !== undefined) return <FailureNotice goal="list the instances on this cluster" error={error} />;
  if (value === undefined) return <Loading what="the instances on this cluster" />;
  if (value.total === 0)
    return (
      <EmptyState title="No instance is on this cluster">
        <p className="quiet">The next order of its region may come here; "fleet explain" says why one did not.</p>
      </EmptyState>
    );
  return (
    <InstanceRows
      label="Instances on this cluster"
      list={value}
      page={page}
      hrefOf={({ id }) => viewHref([opened, 'fleet', 'instance', '-', id])}
    />
  );
}
