import type { MeshInfo } from '@chandlery/mesh/kinds';
import { ApiFailure } from '../../api/api-failure.ts';
import { requestJson } from '../../api/request.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation, viewHref } from '../../routing/location.ts';
import { kindHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { EmptyState, FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { useLoaded } from '../../ui/use-request.ts';
import { CertificatesTab } from './certificates-tab.tsx';
import { ExplainTab } from './explain-tab.tsx';
import { ProxiesTab } from './proxies-tab.tsx';
import { ServiceView } from './service-view.tsx';
import { ServicesTab } from './services-tab.tsx';

const tabLabels = {
  services: 'Services',
  explain: 'Explain a call',
  proxies: 'Proxies',
  certificates: 'Certificates',
} as const;
type TabName = keyof typeof tabLabels;
const tabNames = Object.keys(tabLabels) as TabName[];

/** The mesh that the cluster belongs to: who calls whom, and what proxies know of it. */
export default function MeshPage() {
  const { cluster } = useCluster();
  const { value: mesh, error } = useLoaded(
    signal => requestJson<MeshInfo>(`/mesh/v1/clusters/${encodeURIComponent(cluster)}`, { signal, isQuietOn401: true }),
    [cluster],
  );
  usePageTitle(`Mesh · ${cluster}`);
  if (error !== undefined) return <NoMesh error={error} />;
  if (mesh === undefined) return <Loading what="the mesh" />;
  return <OpenMesh mesh={mesh} />;
}

function NoMesh({ error }: { readonly error: unknown }) {
  const { cluster } = useCluster();
  if (!(error instanceof ApiFailure) || ![401, 403, 404].includes(error.status))
    return <FailureNotice goal="read the mesh" error={error} />;
  return (
    <>
      <header className="page-head">
        <h1>Mesh</h1>
      </header>
      {error.status === 404 ? (
        <EmptyState title={`Cluster "${cluster}" has no mesh`}>
          <p className="quiet">{plainText(error.message)}</p>
        </EmptyState>
      ) : (
        <Notice kind="info">
          <strong>You may not read this mesh</strong>
          <p>
            It takes the verb "get" on policies, endpoints and proxies of mesh.chandlery.io, on the cluster that holds
            the policies of the mesh.
          </p>
          <p className="quiet">{plainText(error.message)}</p>
        </Notice>
      )}
    </>
  );
}

const policyKinds = [
  { title: 'TrafficTargets', group: 'access.smi-spec.io', plural: 'traffictargets' },
  { title: 'Routes', group: 'specs.smi-spec.io', plural: 'httproutegroups' },
  { title: 'TrafficSplits', group: 'split.smi-spec.io', plural: 'trafficsplits' },
] as const;

function OpenMesh({ mesh }: { readonly mesh: MeshInfo }) {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const service = query.get('service') ?? '';
  const tab = tabNames.find(each => each === query.get('tab')) ?? 'services';
  const members = mesh.clusters.map(({ name }) => name).join(', ');
  const isOne = tab === 'services' && service !== '';
  return (
    <>
      <header className="page-head">
        <div>
          {isOne && (
            <p className="crumbs">
              <Link href={viewHref([cluster, 'mesh'])}>Mesh {mesh.mesh}</Link> · service
            </p>
          )}
          <h1>{isOne ? plainText(service) : 'Mesh'}</h1>
          <p className="quiet">
            Mesh "{mesh.mesh}" of {mesh.clusters.length === 1 ? 'the cluster' : 'the clusters'} {members}
            {mesh.clusters.length > 1 && `; policies are on ${mesh.topologyCluster}`}
          </p>
        </div>
        <div className="actions">
          {policyKinds.map(kind => (
            <Link key={kind.plural} className="button" href={kindHref(mesh.topologyCluster, kind)}>
              {kind.title}
            </Link>
          ))}
        </div>
      </header>
      {mesh.isPermissive && (
        <Notice kind="warning">
          This mesh is permissive: all services may call each other, whatever TrafficTargets say.
        </Notice>
      )}
      <Tabs
        label="Parts of the mesh"
        tabs={tabNames.map(name => ({ name, label: tabLabels[name] }))}
        selected={tab}
        onSelect={next => changeQuery({ tab: next === 'services' ? undefined : next, page: undefined, q: undefined })}
      >
        {tab === 'services' && (isOne ? <ServiceView mesh={mesh} service={service} /> : <ServicesTab mesh={mesh} />)}
        {tab === 'explain' && <ExplainTab mesh={mesh} />}
        {tab === 'proxies' && <ProxiesTab mesh={mesh} />}
        {tab === 'certificates' && <CertificatesTab mesh={mesh} />}
      </Tabs>
    </>
  );
}
