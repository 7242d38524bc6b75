import { useEffect } from 'react';
import { type Placement, readPlacement } from '../../api/fleet.ts';
import { collectionPath } from '../../api/kinds.ts';
import { requestJson } from '../../api/request.ts';
import { Link } from '../../routing/link.tsx';
import { navigate, viewHref } from '../../routing/location.ts';
import { namespaceOfPath, objectHref, pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { Commands } from '../../ui/command-line.tsx';
import { commandText } from '../../ui/command-text.ts';
import { EmptyState, FailureNotice, FailurePage, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Rows } from '../../ui/rows.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { StepLine } from '../../ui/step-line.tsx';
import { stepsUntil } from '../../ui/steps.ts';
import { Time } from '../../ui/time.tsx';
import { useLoaded } from '../../ui/use-request.ts';
import { Fact } from '../fact.tsx';
import { ConditionsTab } from '../object/conditions-tab.tsx';
import { useLiveObject } from '../object/live-object.ts';
import { fleetCluster, fleetKinds, useOperator } from './fleet-kinds.ts';
import { type InstanceObject, instanceLife, markOfInstance, versionText } from './fleet-objects.ts';

interface InstancePageProps {
  /** `-`: not known; REST lists instances without it. */
  readonly namespace: string;
  readonly name: string;
}

/** An instance of a product: how far it is, where it runs, and what it is reached by. */
export function InstancePage({ namespace, name }: InstancePageProps) {
  return namespaceOfPath(namespace) === '' ? (
    <FindInstance name={name} />
  ) : (
    <PlacedInstance namespace={namespace} name={name} />
  );
}

/** Leads to the address of an instance by its id alone, which is unique. */
function FindInstance({ name }: Pick<InstancePageProps, 'name'>) {
  const { cluster } = useCluster();
  const { value, error } = useLoaded(
    signal =>
      requestJson<{ readonly items: readonly InstanceObject[] }>(collectionPath(fleetCluster, fleetKinds.instances), {
        query: { fieldSelector: `metadata.name=${name}`, limit: 1 },
        signal,
      }),
    [name],
  );
  const namespace = value?.items[0]?.metadata.namespace;
  useEffect(() => {
    if (namespace !== undefined) navigate(viewHref([cluster, 'fleet', 'instance', namespace, name]), { replace: true });
  }, [cluster, namespace, name]);
  if (error !== undefined) return <FailurePage title={name} goal={`find the instance "${name}"`} error={error} />;
  if (value?.items.length === 0) return <EmptyState isPage title={`There is no instance "${name}"`} />;
  return <Loading what={`instance "${name}"`} />;
}

function PlacedInstance({ namespace, name }: InstancePageProps) {
  const { object, isDeleted = false, error } = useLiveObject(fleetCluster, fleetKinds.instances, { namespace, name });
  usePageTitle(`Instance ${(object as InstanceObject | undefined)?.spec.name ?? name}`);
  if (object === undefined && error !== undefined)
    return <FailurePage title={name} goal={`read the instance "${name}"`} error={error} />;
  if (object === undefined) return <Loading what={`instance "${name}"`} />;
  return <OpenInstance instance={object as InstanceObject} isDeleted={isDeleted} />;
}

interface OpenInstanceProps {
  readonly instance: InstanceObject;
  readonly isDeleted: boolean;
}

function OpenInstance({ instance, isDeleted }: OpenInstanceProps) {
  const { metadata, spec, status = {} } = instance;
  const { isKnown, denial } = useOperator();
  const { state = 'accepted' } = status;
  const id = metadata.name ?? '';
  return (
    <>
      <InstanceHead instance={instance} />
      <Commands
        commands={[
          ['Why it is where it is', commandText('chandlery', 'fleet', 'explain', id)],
          ['Everything about it', commandText('chandlery', 'fleet', 'instance', 'describe', id)],
        ]}
      />
      {isDeleted && <Notice kind="warning">This instance was deleted. What you see is its last state.</Notice>}
      {status.routesProblem !== undefined && <Notice kind="warning">! {plainText(status.routesProblem)}</Notice>}
      {instanceLife.some(step => step === state) && (
        <StepLine
          label="Steps until it is ready"
          steps={stepsUntil(instanceLife, state).map(step => ({ ...step, name: markOfInstance(step.name).word }))}
        />
      )}
      <div className="cards">
        <OrderCard instance={instance} />
        <PlaceCard instance={instance} />
        <ReachCard instance={instance} />
      </div>
      {isKnown && denial === undefined && !isDeleted && (
        <PlacementCard id={id} product={spec.product} at={[state, status.clusterId].join()} />
      )}
      <h2>Conditions</h2>
      <ConditionsTab object={instance} />
    </>
  );
}

function InstanceHead({ instance: { metadata, spec, status = {} } }: Pick<OpenInstanceProps, 'instance'>) {
  const { cluster } = useCluster();
  const { namespace = '', name = '' } = metadata;
  const object = (tab?: string): string => objectHref(fleetCluster, fleetKinds.instances, { namespace, name }, { tab });
  return (
    <header className="page-head">
      <div>
        <p className="crumbs">
          <Link href={pageHref(cluster, 'fleet', { tab: 'instances', product: spec.product })}>Fleet</Link> ·{' '}
          {plainText(spec.product)} · <Link href={object()}>Object details</Link> ·{' '}
          <Link href={object('relations')}>Relations</Link>
        </p>
        <h1>{plainText(spec.name ?? name)}</h1>
        <p>
          <StateMark {...markOfInstance(status.state)} />
          <span className="situation"> {plainText(status.failedReason ?? '')}</span>
        </p>
      </div>
    </header>
  );
}

const serviceInstances = { group: 'brokers.chandlery.io', plural: 'serviceinstances' };

function OrderCard({ instance: { metadata, spec, status = {} } }: Pick<OpenInstanceProps, 'instance'>) {
  const { instanceType, sizeId, units, expiresAt } = status;
  const plan = instanceType === undefined ? (spec.plan ?? '–') : `${instanceType}.${sizeId ?? ''}`;
  return (
    <section className="card" aria-label="Order">
      <h2>Order</h2>
      <dl className="facts">
        <Fact name="Owner">{plainText(spec.owner)}</Fact>
        <Fact name="Organisation">{plainText(spec.organisation)}</Fact>
        <Fact name="Plan">{plainText(plan)}</Fact>
        {units !== undefined && <Fact name="Capacity">{units === 1 ? '1 unit' : `${units} units`}</Fact>}
        {spec.instance !== undefined && (
          <Fact name="Service instance">
            <Link
              href={objectHref(fleetCluster, serviceInstances, {
                namespace: metadata.namespace ?? '',
                name: spec.instance,
              })}
            >
              {plainText(spec.name ?? spec.instance)}
            </Link>
          </Fact>
        )}
        <Fact name="Created">
          <Time at={metadata.creationTimestamp} />
        </Fact>
        {expiresAt !== undefined && (
          <Fact name="Is deleted">
            <Time at={expiresAt} />
          </Fact>
        )}
      </dl>
    </section>
  );
}

function PlaceCard({ instance: { spec, status = {} } }: Pick<OpenInstanceProps, 'instance'>) {
  const { cluster } = useCluster();
  const { clusterId, namespace, actual = {}, desired = {}, stateSince } = status;
  return (
    <section className="card" aria-label="Place">
      <h2>Place</h2>
      <dl className="facts">
        <Fact name="Cluster">
          {clusterId === undefined ? (
            'none yet'
          ) : (
            <Link href={viewHref([cluster, 'fleet', 'cluster', `${spec.product}.${clusterId}`])}>
              {plainText(clusterId)}
            </Link>
          )}
        </Fact>
        <Fact name="Region">{plainText([spec.region, spec.cloudProvider].filter(Boolean).join(' of ') || '–')}</Fact>
        <Fact name="Namespace">{plainText(namespace ?? '–')}</Fact>
        <Fact name="Version">{plainText(versionText(actual.product, desired.product))}</Fact>
        <Fact name="Operator">{plainText(versionText(actual.operator, desired.operator))}</Fact>
        <Fact name="In this state since">
          <Time at={stateSince} />
        </Fact>
      </dl>
    </section>
  );
}

function ReachCard({ instance: { status = {} } }: Pick<OpenInstanceProps, 'instance'>) {
  const { host, adminUrl, routes = [], endpoints = [], certificateExpiresAt } = status;
  return (
    <section className="card" aria-label="Endpoints">
      <h2>Endpoints</h2>
      <dl className="facts facts-stacked">
        <Fact name="Host">
          <code>{plainText(host ?? '–')}</code>
        </Fact>
        {adminUrl !== undefined && (
          <Fact name="Administration">
            <code>{plainText(adminUrl)}</code>
          </Fact>
        )}
        {routes.map(({ domain, router }) => (
          <Fact key={domain} name="Route">
            <code>{plainText(domain)}</code> <span className="quiet">to {plainText(router)}</span>
          </Fact>
        ))}
        {endpoints.map(({ name = 'Endpoint', address, port }) => (
          <Fact key={`${address}:${port}`} name={plainText(name)}>
            <code>
              {plainText(address)}:{port}
            </code>
          </Fact>
        ))}
        <Fact name="Certificate ends">
          <Time at={certificateExpiresAt} />
        </Fact>
      </dl>
    </section>
  );
}

const verdicts: Readonly<Record<Placement['clusters'][number]['verdict'], string>> = {
  current: '✓ It is here',
  next: '✓ It would be placed here now',
  possible: '✓ It would fit here too',
  'passed-over': '– Passed over',
};

interface PlacementCardProps {
  readonly id: string;
  readonly product: string;
  /** Another value when another placement may be. */
  readonly at: string;
}

/** What each cluster says of an instance now. */
function PlacementCard({ id, product, at }: PlacementCardProps) {
  const { cluster } = useCluster();
  const { value, error } = useLoaded(signal => readPlacement(id, signal), [id, at]);
  if (error !== undefined) return <FailureNotice goal="explain the placement" error={error} />;
  if (value === undefined || value.clusters.length === 0) return null;
  return (
    <>
      <h2>Placement</h2>
      <Rows label="Placement" headings={['Cluster', 'Now', 'Why']}>
        {value.clusters.map(({ cluster_id: clusterId, verdict, reason = '' }) => (
          <tr key={clusterId}>
            <td>
              <Link href={viewHref([cluster, 'fleet', 'cluster', `${product}.${clusterId}`])}>
                {plainText(clusterId)}
              </Link>
            </td>
            <td>{verdicts[verdict]}</td>
            <td className="wrap">{plainText(reason)}</td>
          </tr>
        ))}
      </Rows>
    </>
  );
}
