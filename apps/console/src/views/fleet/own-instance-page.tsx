import { readOwnInstance } from '../../api/fleet.ts';
import { Link } from '../../routing/link.tsx';
import { useViewLocation } from '../../routing/location.ts';
import { pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { FailurePage, Loading } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { StepLine } from '../../ui/step-line.tsx';
import { stepsUntil } from '../../ui/steps.ts';
import { Time } from '../../ui/time.tsx';
import { useRefreshed } from '../../ui/use-refreshed.ts';
import { Fact } from '../fact.tsx';
import { instanceLife, markOfInstance } from './fleet-objects.ts';

const refreshMs = 3000;

interface OwnInstancePageProps {
  readonly product: string;
  readonly id: string;
}

/** An instance as the members of its organisation see it. */
export function OwnInstancePage({ product, id }: OwnInstancePageProps) {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const organisation = query.get('organisation') ?? '';
  const { value, error } = useRefreshed(
    signal => readOwnInstance(product, id, organisation, signal),
    [product, id, organisation],
    refreshMs,
  );
  usePageTitle(`Instance ${value?.name ?? id}`);
  if (error !== undefined) return <FailurePage title={id} goal={`read the instance "${id}"`} error={error} />;
  if (value === undefined) return <Loading what={`instance "${id}"`} />;
  const { name = id, status = 'accepted', failed_reason: why = '' } = value;
  return (
    <>
      <header className="page-head">
        <div>
          <p className="crumbs">
            <Link href={pageHref(cluster, 'fleet', { tab: 'instances', product, organisation })}>Fleet</Link> ·{' '}
            {plainText(product)}
          </p>
          <h1>{plainText(name)}</h1>
          <p>
            <StateMark {...markOfInstance(status)} /> {why !== '' && <span>{plainText(why)}</span>}
          </p>
        </div>
      </header>
      {instanceLife.some(step => step === status) && (
        <StepLine
          label="Steps until it is ready"
          steps={stepsUntil(instanceLife, status).map(step => ({ ...step, name: markOfInstance(step.name).word }))}
        />
      )}
      <section className="card">
        <h2>Instance</h2>
        <dl className="facts facts-narrow">
          <Fact name="Owner">{plainText(value.owner ?? '–')}</Fact>
          <Fact name="Organisation">{plainText(organisation || '–')}</Fact>
          <Fact name="Size">{plainText([value.instance_type_name, value.size_id].filter(Boolean).join(' · '))}</Fact>
          <Fact name="Region">
            {plainText([...new Set([value.region, value.cloud_provider])].filter(Boolean).join(' of '))}
          </Fact>
          <Fact name="Version">{plainText(value.version ?? '–')}</Fact>
          <Fact name="Host">
            <code>{plainText(value.host ?? '–')}</code>
          </Fact>
          <Fact name="Administration">
            <code>{plainText(value.admin_api_server_url ?? '–')}</code>
          </Fact>
          <Fact name="Created">
            <Time at={value.created_at} />
          </Fact>
          {value.expires_at && (
            <Fact name="Is deleted">
              <Time at={value.expires_at} />
            </Fact>
          )}
        </dl>
      </section>
    </>
  );
}
