import type { MeshGraph, MeshInfo } from '@chandlery/mesh/kinds';
import { useMemo } from 'react';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation, viewHref } from '../../routing/location.ts';
import { kindHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { GraphView } from '../../ui/graph/graph-view.tsx';
import { EmptyState, FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { useGraphQuery } from '../graph-query.ts';
import { Pages } from '../kind-list/kind-list-page.tsx';
import { FilterField } from '../kind-list/list-filters.tsx';
import { pageOf, pageSize } from '../kind-list/list-query.ts';
import { useFollowedMesh } from './follow-mesh.ts';
import { keyOf, readMesh, serviceMark } from './mesh.ts';
import { accountPrefix, callLegend, meshDrawing } from './mesh-drawing.ts';

/** All services of the mesh with their calls, a page at a time. */
export function ServicesTab({ mesh }: { readonly mesh: MeshInfo }) {
  const { query } = useViewLocation();
  const search = query.get('q') ?? '';
  const page = pageOf(query);
  const { value, error } = useFollowedMesh(
    mesh.mesh,
    signal =>
      readMesh<MeshGraph>(mesh.mesh, 'graph', signal, { search, offset: (page - 1) * pageSize, limit: pageSize }),
    [search, page],
  );
  return (
    <>
      <div className="toolbar">
        <FilterField label="Search" parameter="q" value={search} placeholder="namespace/service" />
      </div>
      {error !== undefined && <FailureNotice goal="read the services of the mesh" error={error} />}
      {value === undefined && error === undefined && <Loading what="the services of the mesh" />}
      {value?.total === 0 && <NoServices mesh={mesh} search={search} />}
      {value !== undefined && value.total > 0 && (
        <>
          <Overview graph={value} />
          <Pages total={value.total} page={page} />
        </>
      )}
    </>
  );
}

function NoServices({ mesh, search }: { readonly mesh: MeshInfo; readonly search: string }) {
  if (search !== '') return <EmptyState title={`No service has "${search}" in its name`} />;
  return (
    <EmptyState title="This mesh has no services yet">
      <p className="quiet">Each Service of its clusters is one; then connect a proxy with "chandlery mesh bootstrap"</p>
      <Link className="button" href={kindHref(mesh.topologyCluster, { group: '', plural: 'services' })}>
        Services of {mesh.topologyCluster}
      </Link>
    </EmptyState>
  );
}

/** Opens what a node of the graph stands for. */
export function openNode(id: string): void {
  if (id.startsWith(accountPrefix))
    changeQuery({ tab: 'explain', from: id.slice(accountPrefix.length), service: undefined });
  else changeQuery({ service: id, tab: undefined, page: undefined, q: undefined, as: undefined });
}

function Overview({ graph }: { readonly graph: MeshGraph }) {
  const { choice, onChoose } = useGraphQuery();
  const drawing = useMemo(() => meshDrawing(graph, false), [graph]);
  return (
    <>
      {graph.isCut && <Notice kind="info">There are more calls than fit here. Search, or open a service.</Notice>}
      <GraphView
        label="Services and their calls"
        graph={drawing}
        selected={undefined}
        onSelect={openNode}
        choice={choice}
        onChoose={onChoose}
        list={<ServiceTable graph={graph} />}
        legend={callLegend(false)}
      />
    </>
  );
}

function ServiceTable({ graph: { services, calls, isPermissive } }: { readonly graph: MeshGraph }) {
  const { cluster } = useCluster();
  return (
    <div className="table-frame" role="region" aria-label="Services" tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Service</th>
            <th scope="col">Ports</th>
            <th scope="col">Clusters</th>
            <th scope="col">Accounts</th>
            <th scope="col">Callers</th>
          </tr>
        </thead>
        <tbody>
          {services.map(service => {
            const key = keyOf(service);
            const callers = calls.filter(({ to, access }) => to === key && access !== 'none').length;
            return (
              <tr key={key}>
                <td>
                  <StateMark {...serviceMark(service)} />
                </td>
                <td>
                  <Link className="row-link" href={viewHref([cluster, 'mesh'], { service: key })}>
                    {plainText(key)}
                  </Link>
                </td>
                <td>{service.ports.map(({ port, protocol }) => `${port} ${protocol}`).join(', ') || '–'}</td>
                <td>{plainText(service.clusters.join(', ')) || '–'}</td>
                <td>{plainText(service.serviceAccounts.join(', ')) || '–'}</td>
                <td>{isPermissive ? 'all' : callers}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
