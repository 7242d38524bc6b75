import { type ClusterCapacity, type RegionCapacity, readCapacity } from '../../api/fleet.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { Button } from '../../ui/button.tsx';
import { Meter } from '../../ui/meter.tsx';
import { EmptyState, FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Rows } from '../../ui/rows.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { useRefreshed } from '../../ui/use-refreshed.ts';
import { useOperator } from './fleet-kinds.ts';
import { clusterStep, markOfCluster } from './fleet-objects.ts';

const refreshMs = 3000;
/** More clusters of a region are shown when they are asked for. */
const maxClusters = 20;

/** Regions with their clusters, and how full they are. The report costs the same however many instances there are. */
export function RegionsTab({ product }: { readonly product: string }) {
  const { isKnown, denial } = useOperator();
  if (!isKnown) return <Loading what="your rights" />;
  if (denial !== undefined)
    return (
      <Notice kind="info">
        <strong>Regions and clusters are shown to operators</strong>
        <p>{denial}. Your own instances are under "Instances".</p>
      </Notice>
    );
  return <Regions product={product} />;
}

function Regions({ product }: { readonly product: string }) {
  const { value: regions, error } = useRefreshed(signal => readCapacity(product, signal), [product], refreshMs);
  if (error !== undefined) return <FailureNotice goal={`read the capacity of ${product}`} error={error} />;
  if (regions === undefined) return <Loading what="the capacity" />;
  if (regions.length === 0)
    return (
      <EmptyState title={`The configuration of ${product} has no regions`}>
        <p className="quiet">
          Add some to its document: <code>chandlery fleet configure FILE</code>
        </p>
      </EmptyState>
    );
  return regions.map(region => (
    <Region key={`${region.cloud_provider}/${region.region}`} product={product} region={region} />
  ));
}

interface RegionProps {
  readonly product: string;
  readonly region: RegionCapacity;
}

function Region({ product, region }: RegionProps) {
  const { query } = useViewLocation();
  const id = `${region.cloud_provider}/${region.region}`;
  const isWhole = query.get('region') === id;
  const shown = isWhole ? region.clusters : region.clusters.slice(0, maxClusters);
  const hidden = region.clusters.length - shown.length;
  const name = plainText(region.display_name);
  return (
    <section className="card region" aria-label={`Region ${name}`}>
      <header>
        <h2>{name}</h2>
        <p className="quiet">
          {plainText([...new Set([region.region, region.cloud_provider])].join(' of '))} ·{' '}
          {region.clusters.length === 1 ? '1 cluster' : `${region.clusters.length} clusters`}
        </p>
      </header>
      {region.instance_types.length > 0 && (
        <dl className="region-types">
          {region.instance_types.map(({ id: type, used, limit }) => (
            <div key={type}>
              <dt>Instance type {plainText(type)}</dt>
              <dd>
                <Meter label={`Units of ${plainText(type)} in ${name}`} used={used} limit={limit ?? undefined} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {shown.length === 0 ? (
        <p className="quiet">No clusters yet: one of the configuration, or one that an order makes</p>
      ) : (
        <Rows label={`Clusters of ${name}`} headings={['State', 'Cluster', 'Capacity', 'Last report', 'New instances']}>
          {shown.map(cluster => (
            <ClusterRow key={cluster.cluster_id} product={product} cluster={cluster} />
          ))}
        </Rows>
      )}
      {hidden > 0 && <Button onClick={() => changeQuery({ region: id })}>Show {hidden} more clusters</Button>}
    </section>
  );
}

interface ClusterRowProps {
  readonly product: string;
  readonly cluster: ClusterCapacity;
}

function ClusterRow({ product, cluster }: ClusterRowProps) {
  const opened = useCluster().cluster;
  const { cluster_id: id, status, used, limit, agent_silent: isSilent, last_seen_at: seen } = cluster;
  const why = cluster.failed_reason ?? cluster.agent_message ?? '';
  const { state } = markOfCluster(status);
  return (
    <tr>
      <td>
        <StateMark state={state} word={clusterStep(status)} reason={why || undefined} />
      </td>
      <td>
        <Link className="row-link" href={viewHref([opened, 'fleet', 'cluster', `${product}.${id}`])}>
          {plainText(id)}
        </Link>
        {why !== '' && <p className="message row-why">{plainText(why)}</p>}
      </td>
      <td>
        <Meter label={`Units on ${plainText(id)}`} used={used} limit={limit ?? undefined} />
      </td>
      <td>
        {isSilent && <span className="state state-failed">✗ Silent </span>}
        <span className="quiet">{seen === null ? 'not seen yet' : <Time at={seen} />}</span>
      </td>
      <td>{takesText(cluster)}</td>
    </tr>
  );
}

const takesText = ({ lost, draining, takes_new: takesNew }: ClusterCapacity): string =>
  lost ? '✗ Given up' : draining ? '◌ Draining' : takesNew ? '✓ Accepted' : '– Not accepted';
