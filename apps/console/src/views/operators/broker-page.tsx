import { conditionsOf, situationOf } from '@chandlery/api';
import { useDenial } from '../../api/access.ts';
import type { SmItem } from '../../api/offerings.ts';
import { readCatalogue, refreshBroker } from '../../api/service-manager.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation } from '../../routing/location.ts';
import { objectHref, pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { ActionButton, OutcomeNotice, useActions } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Commands } from '../../ui/command-line.tsx';
import { commandText } from '../../ui/command-text.ts';
import { EmptyState, FailureNotice, FailurePage, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { useLoaded } from '../../ui/use-request.ts';
import { Fact } from '../fact.tsx';
import { useLiveObject } from '../object/live-object.ts';
import { type BrokerObject, brokersCluster, nameOfBroker, operatorKinds } from './operator-kinds.ts';
import { PlanVisibilities } from './plan-visibilities.tsx';

interface BrokerPageProps {
  readonly namespace: string;
  readonly name: string;
}

/** A broker: how it was reached last, and what it sells to whom. */
export function BrokerPage({ namespace, name }: BrokerPageProps) {
  const ref = { namespace, name };
  const { object, isDeleted = false, error } = useLiveObject(brokersCluster, operatorKinds.brokers, ref);
  const broker = object as BrokerObject | undefined;
  const title = broker === undefined ? name : nameOfBroker(broker);
  usePageTitle(`Broker ${title}`);
  if (broker === undefined && error !== undefined)
    return <FailurePage title={name} goal={`read the broker "${name}"`} error={error} />;
  if (broker === undefined) return <Loading what={`broker "${name}"`} />;
  return (
    <>
      <BrokerHead broker={broker} isDeleted={isDeleted} />
      {isDeleted && <Notice kind="warning">This broker was deleted. What you see is its last state.</Notice>}
      <LastError broker={broker} />
      <BrokerFacts broker={broker} />
      <h2>Offerings and plans</h2>
      <Catalogue broker={broker} />
    </>
  );
}

/** The brokers of what the landscape offers itself have ids that begin so. */
const landscapePrefix = 'landscape-';

const isOwn = ({ metadata: { name = '' } }: BrokerObject): boolean => name.startsWith(landscapePrefix);

interface BrokerHeadProps {
  readonly broker: BrokerObject;
  readonly isDeleted: boolean;
}

function BrokerHead({ broker, isDeleted }: BrokerHeadProps) {
  const { cluster } = useCluster();
  const { outcome, run } = useActions();
  const { namespace = '', name: id = '' } = broker.metadata;
  const name = nameOfBroker(broker);
  const denial = useDenial({ cluster: brokersCluster, verb: 'update', ...operatorKinds.brokers, namespace });
  const reason = isDeleted
    ? 'It was deleted'
    : isOwn(broker)
      ? 'It is the landscape itself: its catalogue follows by itself'
      : denial;
  return (
    <>
      <header className="page-head">
        <div>
          <p className="crumbs">
            <Link href={pageHref(cluster, 'providers', { tab: 'brokers' })}>Brokers</Link> · {plainText(namespace)} ·{' '}
            <Link href={objectHref(brokersCluster, operatorKinds.brokers, { namespace, name: id })}>
              Object details
            </Link>
          </p>
          <h1>{plainText(name)}</h1>
          <p>
            <StateMark state={situationOf(broker).state} />{' '}
            <span className="quiet">{plainText(broker.spec.description ?? '')}</span>
          </p>
        </div>
        <div className="actions">
          <ActionButton
            disabledReason={reason}
            title="Reads what the broker sells now"
            onAction={() => run('refresh the catalogue', () => refreshBroker(id), 'The catalogue was read again')}
          >
            Refresh the catalogue
          </ActionButton>
        </div>
      </header>
      <OutcomeNotice outcome={outcome} />
      {!isOwn(broker) && (
        <Commands commands={[['Refresh the catalogue', commandText('chandlery', 'broker', 'update', name)]]} />
      )}
    </>
  );
}

/** Why the last thing that was tried with the broker has failed; what is known of it stays in use. */
function LastError({ broker }: Pick<BrokerHeadProps, 'broker'>) {
  const failed = conditionsOf(broker).find(({ status }) => status === 'False');
  if (failed === undefined) return null;
  return (
    <Notice kind="error">
      <strong>{plainText(failed.reason ?? 'The broker cannot be used')}</strong>
      <p>{plainText(failed.message ?? '')}</p>
      <p className="quiet">
        <Time at={failed.lastTransitionTime} />
      </p>
    </Notice>
  );
}

function BrokerFacts({ broker: { spec, status = {} } }: Pick<BrokerHeadProps, 'broker'>) {
  return (
    <section className="card" aria-label="Broker">
      <dl className="facts facts-narrow">
        <Fact name="Address">
          {spec.url === undefined ? (
            `The landscape itself: ${plainText(spec.internal ?? '')}`
          ) : (
            <code>{plainText(spec.url)}</code>
          )}
        </Fact>
        {spec.url !== undefined && (
          <Fact name="Credentials">
            {spec.credentialsSecret === undefined ? 'None' : 'Stored encrypted, not shown'}
            {spec.insecureSkipVerify === true && ' · ! any certificate is trusted'}
          </Fact>
        )}
        <Fact name="Catalogue read">
          <Time at={status.catalogFetchedAt} />
        </Fact>
        <Fact name="OSB version">{plainText(spec.apiVersion ?? status.apiVersion ?? '–')}</Fact>
      </dl>
    </section>
  );
}

function Catalogue({ broker }: Pick<BrokerHeadProps, 'broker'>) {
  const { name: id = '' } = broker.metadata;
  const { value, error } = useLoaded(signal => readCatalogue(id, signal), [id, broker.status?.catalogHash]);
  if (error !== undefined) return <FailureNotice goal="read the catalogue of the broker" error={error} />;
  if (value === undefined) return <Loading what="the catalogue" />;
  if (value.length === 0)
    return (
      <EmptyState title="This broker sells nothing">
        <p className="quiet">When it should: refresh its catalogue, and look at the error above if there is one.</p>
      </EmptyState>
    );
  return (
    <div className="offerings">
      {value.map(offering => (
        <Offering key={offering.id} broker={broker} offering={offering} />
      ))}
    </div>
  );
}

interface OfferingProps extends Pick<BrokerHeadProps, 'broker'> {
  readonly offering: SmItem & { readonly plans: readonly SmItem[] };
}

/** An offering; the plan that the address names shows to whom it is open. */
function Offering({ broker, offering }: OfferingProps) {
  const { query } = useViewLocation();
  const { name = '', description = '', plans } = offering;
  return (
    <section className="card" aria-label={`Offering ${plainText(name)}`}>
      <h2>{plainText(name)}</h2>
      <p className="quiet">{plainText(description)}</p>
      <ul className="plan-list">
        {plans.map(plan => {
          const isOpen = query.get('plan') === plan.id;
          return (
            <li key={plan.id}>
              <div className="plan-line">
                <div>
                  <strong>{plainText(plan.name ?? '')}</strong>
                  {plan.free === false && <span className="quiet"> not free</span>}
                  <p className="quiet">{plainText(plan.description ?? '')}</p>
                </div>
                <Button
                  aria-expanded={isOpen}
                  onClick={() => changeQuery({ plan: isOpen ? undefined : plan.id }, { replace: true })}
                >
                  Who may order it<span className="spoken">: {plainText(plan.name ?? '')}</span>
                </Button>
              </div>
              {isOpen && (
                <PlanVisibilities
                  plan={plan}
                  planName={`${name}/${plan.name ?? ''}`}
                  tenant={broker.metadata.namespace ?? ''}
                />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
