import { lazy, Suspense, useEffect } from 'react';
import { navigate, useViewLocation, viewHref } from './routing/location.ts';
import { groupOfPath, namespaceOfPath } from './routing/paths.ts';
import { sessionStore } from './session/session.ts';
import { SignInPage } from './session/sign-in-page.tsx';
import { ClusterProvider } from './shell/cluster-context.tsx';
import { defaultCluster } from './shell/clusters.ts';
import { Shell } from './shell/shell.tsx';
import { useTheme } from './shell/theme.ts';
import { EmptyState, Loading } from './ui/notice.tsx';
import { useStore } from './ui/store.ts';
import { AllKindsPage } from './views/all-kinds/all-kinds-page.tsx';
import { FindPage } from './views/find-page.tsx';
import { HomePage } from './views/home/home-page.tsx';
import { InstancesPage } from './views/instances-page.tsx';
import { KindListPage } from './views/kind-list/kind-list-page.tsx';
import { ObjectPage } from './views/object/object-page.tsx';
import { SettingsPage } from './views/settings-page.tsx';

const CataloguePage = lazy(() => import('./views/catalogue/catalogue-page.tsx'));
const ApiDocumentsPage = lazy(() => import('./views/api-documents/api-documents-page.tsx'));
const EventsPage = lazy(() => import('./views/events/events-page.tsx'));
const MeshPage = lazy(() => import('./views/mesh/mesh-page.tsx'));
const FleetPage = lazy(() => import('./views/fleet/fleet-page.tsx'));
const OperatorsPage = lazy(() => import('./views/operators/operators-page.tsx'));
const TenantsPage = lazy(() => import('./views/tenants/tenants-page.tsx'));
const RunsPage = lazy(() => import('./views/runs/runs-page.tsx'));

/** The console: the sign-in, or the view that the address names. */
export function App() {
  useTheme();
  const session = useStore(sessionStore);
  const { segments } = useViewLocation();
  const [cluster = defaultCluster, page = '', ...rest] = segments;
  const isComplete = page !== '';
  useEffect(() => {
    if (session !== undefined && !isComplete) navigate(viewHref([cluster, 'home']), { replace: true });
  }, [session, isComplete, cluster]);
  if (session === undefined) return <SignInPage cluster={cluster} />;
  if (!isComplete) return null;
  return (
    <ClusterProvider key={cluster} cluster={cluster}>
      <Shell cluster={cluster}>
        <Suspense fallback={<Loading what="this page" />}>
          <View page={page} rest={rest} />
        </Suspense>
      </Shell>
    </ClusterProvider>
  );
}

function View({ page, rest }: { readonly page: string; readonly rest: readonly string[] }) {
  const [group = '', plural = '', namespace = '', name = ''] = rest;
  switch (page) {
    case 'home':
      return <HomePage />;
    case 'catalogue':
      return <CataloguePage offering={group} />;
    case 'instances':
      return <InstancesPage />;
    case 'orders':
      return <RunsPage namespace={group} name={plural} />;
    case 'fleet':
      return <FleetPage part={group} names={rest.slice(1)} />;
    case 'providers':
      return <OperatorsPage part={group} names={rest.slice(1)} />;
    case 'tenants':
      return <TenantsPage project={group} workspace={plural} />;
    case 'kinds':
      return <AllKindsPage />;
    case 'events':
      return <EventsPage view={group} />;
    case 'mesh':
      return <MeshPage />;
    case 'apis':
      return <ApiDocumentsPage />;
    case 'settings':
      return <SettingsPage />;
    case 'find':
      return <FindPage />;
    case 'list':
      return <KindListPage key={rest.join('/')} group={groupOfPath(group)} plural={plural} />;
    case 'object':
      return (
        <ObjectPage group={groupOfPath(group)} plural={plural} namespace={namespaceOfPath(namespace)} name={name} />
      );
    default:
      return <EmptyState isPage title={`There is no page "${page}"`} />;
  }
}
