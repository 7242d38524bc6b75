import { conditionsOf, situationOf } from '@chandlery/api';
import { Link } from '../../routing/link.tsx';
import { objectHref, pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { Breakable } from '../../ui/breakable.tsx';
import { Commands } from '../../ui/command-line.tsx';
import { commandText } from '../../ui/command-text.ts';
import { FailurePage, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Fact } from '../fact.tsx';
import { ConditionsTab } from '../object/conditions-tab.tsx';
import { useLiveObject } from '../object/live-object.ts';
import { operatorKinds, type ProviderObject, providersCluster } from './operator-kinds.ts';

/** A provider: whether it was installed and runs, what has failed last, and what it brings. */
export function ProviderPage({ name }: { readonly name: string }) {
  const { object, isDeleted = false, error } = useLiveObject(providersCluster, operatorKinds.providers, { name });
  usePageTitle(`Provider ${name}`);
  if (object === undefined && error !== undefined)
    return <FailurePage title={name} goal={`read the provider "${name}"`} error={error} />;
  if (object === undefined) return <Loading what={`provider "${name}"`} />;
  const provider = object as ProviderObject;
  return (
    <>
      <ProviderHead provider={provider} />
      <Commands
        commands={[
          [
            'Try it on this landscape, from installing to leaving',
            commandText('chandlery', 'provider', 'validate', name),
          ],
          ['Its log', commandText('chandlery', 'provider', 'logs', name)],
          ['Everything about it', commandText('chandlery', 'provider', 'describe', name)],
        ]}
      />
      {isDeleted && <Notice kind="warning">This provider was deleted. What you see is its last state.</Notice>}
      <LastError provider={provider} />
      <div className="cards">
        <DeploymentCard provider={provider} />
        <KindsCard provider={provider} />
      </div>
      <h2>Conditions</h2>
      <ConditionsTab object={provider} />
    </>
  );
}

interface ProviderPart {
  readonly provider: ProviderObject;
}

function ProviderHead({ provider }: ProviderPart) {
  const { cluster } = useCluster();
  const { name = '' } = provider.metadata;
  const { state } = situationOf(provider);
  const href = (tab?: string): string => objectHref(providersCluster, operatorKinds.providers, { name }, { tab });
  return (
    <header className="page-head">
      <div>
        <p className="crumbs">
          <Link href={pageHref(cluster, 'providers')}>Providers</Link> · <Link href={href()}>Object details</Link> ·{' '}
          <Link href={href('relations')}>Relations</Link>
        </p>
        <h1>{plainText(name)}</h1>
        <p>
          <StateMark state={state} word={plainText(provider.status?.phase ?? '') || undefined} />
        </p>
      </div>
    </header>
  );
}

/** What is wrong with the provider; one that is being installed has nothing wrong yet. */
function LastError({ provider }: ProviderPart) {
  const failed = conditionsOf(provider).find(({ status, message = '' }) => status === 'False' && message !== '');
  if (failed === undefined) return null;
  return (
    <Notice kind={situationOf(provider).state === 'failed' ? 'error' : 'warning'}>
      <strong>{plainText(failed.reason ?? failed.type)}</strong>
      <p className="situation">{plainText(failed.message ?? '')}</p>
    </Notice>
  );
}

/** What each condition of a provider means. */
const checks = [
  ['Initialized', 'Installed'],
  ['APIReady', 'Its kinds are served'],
  ['RunReady', 'It runs'],
  ['Ready', 'Tenants can use it'],
] as const;

/** The version of a provider is that of its image. */
const versionOf = (image: string): string => /[:@]([^:@/]+)$/.exec(image)?.[1] ?? 'latest';

function DeploymentCard({ provider }: ProviderPart) {
  const { spec } = provider;
  const conditions = conditionsOf(provider);
  const hasFailed = situationOf(provider).state === 'failed';
  return (
    <section className="card" aria-label="Deployment">
      <h2>Deployment</h2>
      <dl className="facts">
        {checks.map(([type, what]) => {
          const status = conditions.find(condition => condition.type === type)?.status ?? 'Unknown';
          return (
            <Fact key={type} name={what}>
              {status === 'True' ? (
                <StateMark state="ready" word="Yes" />
              ) : status === 'False' && hasFailed ? (
                <StateMark state="failed" word="No" />
              ) : (
                <StateMark state="waiting" word="Not yet" />
              )}
            </Fact>
          );
        })}
        <Fact name="Version">{plainText(versionOf(spec.image))}</Fact>
        <Fact name="Image">
          <code>
            <Breakable text={plainText(spec.image)} />
          </code>
        </Fact>
        <Fact name="Replicas">{spec.runReplicas ?? 1}</Fact>
        <Fact name="When it is removed">
          {spec.deletionPolicy === 'Orphan' ? 'Services continue without it' : 'It waits until tenants have left'}
        </Fact>
      </dl>
    </section>
  );
}

function KindsCard({ provider }: ProviderPart) {
  const resources = provider.status?.resources ?? [];
  return (
    <section className="card" aria-label="What tenants order">
      <h2>What tenants order</h2>
      {resources.length === 0 ? (
        <p className="quiet">It has reported no kinds yet: its init job does, whose log says why not</p>
      ) : (
        <ul className="kinds">
          {resources.map(({ group, version, kind, usesControlPlane }) => (
            <li key={`${group}/${kind}`}>
              <strong>{plainText(kind)}</strong>{' '}
              <span className="quiet">
                {plainText(`${group}/${version}`)}
                {usesControlPlane === true && ', on a control plane'}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
