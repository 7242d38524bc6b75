import { useEffect, useRef, useState } from 'react';
import { parse, stringify } from 'yaml';
import { collectionPath, type ServedKind } from '../../api/kinds.ts';
import type { Offering, Plan } from '../../api/offerings.ts';
import { request } from '../../api/request.ts';
import { Link } from '../../routing/link.tsx';
import { navigate, useViewLocation } from '../../routing/location.ts';
import { objectHref, pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { defaultCluster } from '../../shell/clusters.ts';
import { useBusy } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { FailureNotice, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { TextField } from '../../ui/text-field.tsx';
import { commandOfOrder, type Order, objectOfOrder, orderOfObject } from './order.ts';
import { originText } from './origins.ts';
import { defaultsOf, fieldsOf, problemsIn } from './schema-fields.ts';
import { SchemaForm } from './schema-form.tsx';

const instanceKind = { group: 'brokers.chandlery.io', version: 'v1alpha1', plural: 'serviceinstances' };

type Outcome =
  | { readonly type: 'accepted' }
  | { readonly type: 'copied' }
  | { readonly type: 'failed'; readonly error: unknown };

/** Orders an offering: a form, and beside it the same order as YAML. */
export function OrderPage({ offering }: { readonly offering: Offering }) {
  const { cluster, kinds } = useCluster();
  const { query } = useViewLocation();
  const [order, setOrder] = useState<Order>(() => firstOrder(offering, query));
  const [text, setText] = useState(() => stringify(objectOfOrder(order)));
  const [outcome, setOutcome] = useState<Outcome>();
  const { busyReason, run } = useBusy();
  const plan = offering.plans.find(({ name }) => name === order.plan);
  const fields = fieldsOf(plan?.schema ?? {});
  const problems = [
    ...(order.name === '' ? ['Name is required'] : []),
    ...(order.namespace === '' ? ['Namespace is required'] : []),
    ...problemsIn(fields, order.parameters),
  ];
  const change = (next: Order): void => {
    setOrder(next);
    setText(stringify(objectOfOrder(next)));
    setOutcome(undefined);
  };
  const readText = (next: string): void => {
    setText(next);
    setOutcome(undefined);
    const read = orderOfText(next);
    if (read !== undefined) setOrder(read);
  };
  const send = async (isDryRun: boolean): Promise<void> => {
    const home = orderCluster(cluster, kinds);
    try {
      await request(collectionPath(home, instanceKind, order.namespace), {
        method: 'POST',
        query: { fieldManager: 'chandlery-console', fieldValidation: 'Strict', dryRun: isDryRun ? 'All' : undefined },
        body: objectOfOrder(order),
      });
      if (isDryRun) setOutcome({ type: 'accepted' });
      else navigate(objectHref(home, instanceKind, order, { ns: order.namespace }));
    } catch (error) {
      setOutcome({ type: 'failed', error });
    }
  };
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(commandOfOrder(order));
    setOutcome({ type: 'copied' });
  };
  const incomplete = problems.length === 0 ? undefined : problems.join('; ');
  return (
    <>
      <header className="page-head">
        <div>
          <p className="crumbs">
            <Link href={pageHref(cluster, 'catalogue')}>Catalogue</Link>
          </p>
          <h1>Order {plainText(offering.title)}</h1>
          <p className="quiet">
            {plainText(offering.description)} · {originText(offering.origin)}
          </p>
        </div>
      </header>
      <div className="columns">
        <form
          className="card"
          aria-label={`Order ${offering.name}`}
          onSubmit={event => {
            event.preventDefault();
            if (problems.length === 0 && busyReason === undefined) void run(() => send(false));
          }}
        >
          <TextField label="Name" value={order.name} onChange={name => change({ ...order, name })} />
          <TextField
            label="Namespace"
            value={order.namespace}
            onChange={namespace => change({ ...order, namespace })}
          />
          <PlanChoice
            plans={offering.plans}
            selected={order.plan}
            onChoose={({ name, schema = {} }) =>
              change({ ...order, plan: name, parameters: defaultsOf(fieldsOf(schema)) })
            }
          />
          <SchemaForm
            fields={fields}
            values={order.parameters}
            onChange={parameters => change({ ...order, parameters })}
          />
          <div className="actions">
            <Button kind="primary" type="submit" disabledReason={incomplete ?? busyReason}>
              Order
            </Button>
            <Button disabledReason={incomplete ?? busyReason} onClick={() => void run(() => send(true))}>
              Check
            </Button>
            <Button disabledReason={incomplete} onClick={() => void copy()}>
              Copy as command
            </Button>
          </div>
          {incomplete !== undefined && <p className="quiet">{incomplete}</p>}
          {outcome !== undefined && <Verdict outcome={outcome} goal={`order ${offering.title}`} />}
        </form>
        <section className="card" aria-label="The order as YAML">
          <h2>YAML</h2>
          <CodeEditor label={`Order of ${offering.name} as YAML`} value={text} onChange={readText} />
        </section>
      </div>
    </>
  );
}

/** What came of the last action; comes into view, because the form may be longer than the page. */
function Verdict({ outcome, goal }: { readonly outcome: Outcome; readonly goal: string }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => void frame.current?.scrollIntoView({ block: 'nearest' }), [outcome]);
  return (
    <div ref={frame} className="verdict">
      {outcome.type === 'accepted' && (
        <Notice kind="success">✓ The server would accept this order. Nothing was ordered yet.</Notice>
      )}
      {outcome.type === 'copied' && <Notice kind="success">✓ The command was copied</Notice>}
      {outcome.type === 'failed' && <FailureNotice goal={goal} error={outcome.error} />}
    </div>
  );
}

function firstOrder(offering: Offering, query: URLSearchParams): Order {
  const wanted = query.get('plan');
  const plan = offering.plans.find(({ name }) => name === wanted) ?? offering.plans[0];
  return {
    offering: offering.name,
    plan: plan?.name ?? '',
    name: '',
    namespace: query.get('ns') ?? '',
    parameters: defaultsOf(fieldsOf(plan?.schema ?? {})),
  };
}

/** The tenants of a landscape are namespaces of one cluster; the API of a project may serve instances as well. */
const orderCluster = (cluster: string, kinds: readonly ServedKind[]): string =>
  kinds.some(({ group, plural }) => group === instanceKind.group && plural === instanceKind.plural)
    ? cluster
    : defaultCluster;

function orderOfText(text: string): Order | undefined {
  try {
    return orderOfObject(parse(text));
  } catch {
    // Half-typed YAML is no order yet.
    return undefined;
  }
}

interface PlanChoiceProps {
  readonly plans: readonly Plan[];
  readonly selected: string;
  readonly onChoose: (plan: Plan) => void;
}

function PlanChoice({ plans, selected, onChoose }: PlanChoiceProps) {
  return (
    <fieldset className="plans">
      <legend>Plan</legend>
      {plans.map(plan => (
        <label key={plan.id} className="plan">
          <input type="radio" name="plan" checked={plan.name === selected} onChange={() => onChoose(plan)} />
          <span>
            <strong>{plainText(plan.name)}</strong>
            {!plan.isFree && <span className="quiet"> not free</span>}
            <span className="plan-about">{plainText(plan.description)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
