import type { GraphCall, GraphService, MeshGraph, MeshInfo } from '@chandlery/mesh/kinds';
import { useMemo } from 'react';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation, viewHref } from '../../routing/location.ts';
import { objectHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { GraphView } from '../../ui/graph/graph-view.tsx';
import { EmptyState, FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Fact } from '../fact.tsx';
import { useGraphQuery } from '../graph-query.ts';
import { EndpointTable, readEndpoints } from './endpoint-table.tsx';
import { useFollowedMesh } from './follow-mesh.ts';
import { accessMarks, keyOf, partsOf, readMesh, serviceMark, sharesOf } from './mesh.ts';
import { callLegend, meshDrawing } from './mesh-drawing.ts';
import { splitHref } from './policy-hrefs.ts';
import { Policies } from './policy-link.tsx';
import { openNode } from './services-tab.tsx';

interface ServiceViewProps {
  readonly mesh: MeshInfo;
  /** `namespace/name`. */
  readonly service: string;
}

/** A service: who calls it and whom it calls, where it runs, how its traffic is divided. */
export function ServiceView({ mesh, service }: ServiceViewProps) {
  const { value: read, error } = useFollowedMesh(
    mesh.mesh,
    signal =>
      Promise.all([readMesh<MeshGraph>(mesh.mesh, 'graph', signal, { service }), readEndpoints(mesh, service, signal)]),
    [service],
  );
  const [value, endpoints] = read ?? [];
  if (error !== undefined && value === undefined)
    return <FailureNotice goal={`read service "${service}"`} error={error} />;
  if (value === undefined) return <Loading what={`service "${service}"`} />;
  const found = value.services.find(each => keyOf(each) === service);
  if (found === undefined)
    return (
      <EmptyState title={`The mesh has no service "${plainText(service)}"`}>
        <p className="quiet">It may have been deleted from all clusters of the mesh</p>
      </EmptyState>
    );
  return (
    <>
      {error !== undefined && <FailureNotice goal={`read service "${service}" again`} error={error} />}
      <Neighbours graph={value} service={service} mesh={mesh} />
      <div className="cards">
        <About service={found} mesh={mesh} />
        {found.split !== undefined && <Split split={found.split} mesh={mesh} />}
      </div>
      {endpoints !== undefined && <EndpointTable found={endpoints} />}
    </>
  );
}

interface NeighboursProps extends ServiceViewProps {
  readonly graph: MeshGraph;
}

function Neighbours({ graph, service, mesh }: NeighboursProps) {
  const { query } = useViewLocation();
  const { choice, onChoose } = useGraphQuery();
  const hasDenied = query.get('denied') === 'show';
  const drawing = useMemo(() => connected(meshDrawing(graph, hasDenied), service), [graph, hasDenied, service]);
  return (
    <>
      {graph.isCut && <Notice kind="info">There are more neighbours than fit here. Explain a call to find one.</Notice>}
      <GraphView
        label={`Neighbours of ${service}`}
        graph={drawing}
        selected={service}
        onSelect={openNode}
        choice={choice}
        onChoose={onChoose}
        list={<CallTable graph={graph} service={service} mesh={mesh} />}
        legend={callLegend(hasDenied)}
      >
        <label className="check">
          <input
            type="checkbox"
            checked={hasDenied}
            onChange={({ target }) => changeQuery({ denied: target.checked ? 'show' : undefined }, { replace: true })}
          />
          Draw denied calls, too
        </label>
      </GraphView>
      {!choice.isList && <CallTable graph={graph} service={service} mesh={mesh} />}
    </>
  );
}

/** Only what has an edge with the service, and the edges between the service and them. */
function connected({ nodes, edges }: ReturnType<typeof meshDrawing>, service: string) {
  const own = edges.filter(({ from, to }) => from === service || to === service);
  const ids = new Set([service, ...own.flatMap(({ from, to }) => [from, to])]);
  return { nodes: nodes.filter(({ id }) => ids.has(id)), edges: own };
}

const order: readonly GraphCall['access'][] = ['all', 'some', 'none'];

/** The calls of a service and to it, allowed ones first, and what is denied within its namespace. */
function CallTable({ graph: { services, calls, isPermissive }, service, mesh }: NeighboursProps) {
  const own = services.find(each => keyOf(each) === service)?.serviceAccounts ?? [];
  const shown = calls
    .filter(({ from, to }) => to === service || own.includes(from))
    .toSorted((one, other) => order.indexOf(one.access) - order.indexOf(other.access));
  if (isPermissive) return <p className="quiet">All services of this mesh may call each other</p>;
  if (shown.length === 0)
    return (
      <EmptyState title="No policy is about this service">
        <p className="quiet">Nobody may call it. A TrafficTarget for the account behind it allows calls</p>
      </EmptyState>
    );
  return (
    <div className="table-frame" role="region" aria-label="Calls" tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Verdict</th>
            <th scope="col">Caller</th>
            <th scope="col">Service</th>
            <th scope="col">Policies</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(call => (
            <CallRow key={`${call.from} ${call.to}`} call={call} mesh={mesh} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CallRow({
  call: { from, to, access, policies, why },
  mesh,
}: {
  readonly call: GraphCall;
  readonly mesh: MeshInfo;
}) {
  const { cluster } = useCluster();
  return (
    <tr>
      <td>
        <StateMark {...accessMarks[access]} />
      </td>
      <td>
        <Link className="row-link" href={viewHref([cluster, 'mesh'], { tab: 'explain', from, to })}>
          {plainText(from)}
        </Link>
      </td>
      <td>{plainText(to)}</td>
      <td>
        <Policies policies={policies} mesh={mesh} />
      </td>
      <td className="why">{plainText(why)}</td>
    </tr>
  );
}

function About({ service, mesh }: { readonly service: GraphService; readonly mesh: MeshInfo }) {
  const { ports, clusters, serviceAccounts, isUnproxied = false } = service;
  const [declaring] = clusters.includes(mesh.topologyCluster) ? [mesh.topologyCluster] : clusters;
  return (
    <section className="card">
      <h2>Service</h2>
      <dl className="facts">
        <Fact name="Endpoints">
          <StateMark {...serviceMark(service)} />
        </Fact>
        <Fact name="Ports">
          {plainText(ports.map(({ name, port, protocol }) => `${port} ${protocol} ${name}`.trim()).join(', ')) || '–'}
        </Fact>
        <Fact name="Accounts">{plainText(serviceAccounts.join(', ')) || 'none is known'}</Fact>
        <Fact name="Declared on">{plainText(clusters.join(', ')) || 'no cluster'}</Fact>
        {isUnproxied && <Fact name="Protection">Without a proxy: callers' proxies alone enforce policies</Fact>}
        {declaring !== undefined && !isUnproxied && (
          <Fact name="Object">
            <Link href={objectHref(declaring, { group: '', plural: 'services' }, service)}>
              {plainText(keyOf(service))} on {plainText(declaring)}
            </Link>
          </Fact>
        )}
      </dl>
    </section>
  );
}

interface SplitProps {
  readonly split: NonNullable<GraphService['split']>;
  readonly mesh: MeshInfo;
}

/** How the traffic of the service is divided. */
function Split({ split: { source, backends }, mesh }: SplitProps) {
  const { cluster } = useCluster();
  return (
    <section className="card">
      <h2>Traffic split</h2>
      <ul className="shares">
        {sharesOf(backends).map(({ key, percent }) => (
          <li key={key}>
            <Link href={viewHref([cluster, 'mesh'], { service: key })}>{plainText(key)}</Link>
            <span className="share-number">{percent} %</span>
            <meter min={0} max={100} value={percent} aria-label={`Share of ${plainText(partsOf(key).name)}`} />
          </li>
        ))}
      </ul>
      <p>
        Declared by <Link href={splitHref(source, mesh)}>TrafficSplit {plainText(source)}</Link>
      </p>
    </section>
  );
}
