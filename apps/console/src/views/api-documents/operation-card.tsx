import { useEffect, useRef, useState } from 'react';
import { plainText } from '../../ui/plain-text.ts';
import { useIsNarrow } from '../../ui/use-is-narrow.ts';
import {
  flattened,
  type OpenApi,
  type Operation,
  type Parameter,
  type Referable,
  referenceName,
  type Schema,
  typeText,
} from './open-api.ts';
import { TryOperation } from './try-operation.tsx';

interface OperationCardProps {
  readonly document: OpenApi;
  readonly operation: Operation;
}

/** An operation: what it takes, what it returns, and a way to try it. */
export function OperationCard({ document, operation }: OperationCardProps) {
  const { method, path, summary, description, parameters, body, responses } = operation;
  const card = useRef<HTMLElement>(null);
  const isNarrow = useIsNarrow();
  // Beside each other, the list and the card are both in view.
  useEffect(() => {
    if (isNarrow) card.current?.scrollIntoView();
  }, [isNarrow]);
  return (
    <article ref={card} className="operation-card" aria-label={`${method.toUpperCase()} ${path}`}>
      <section className="card">
        <h2 className="operation-head">
          <span className={`method method-${method}`}>{method.toUpperCase()}</span> {plainText(path)}
        </h2>
        {summary !== '' && <p>{plainText(summary)}</p>}
        {description !== '' && <p className="message">{plainText(description)}</p>}
        {parameters.length > 0 && (
          <>
            <h3>Parameters</h3>
            <ParameterTable document={document} parameters={parameters} />
          </>
        )}
        {body !== undefined && (
          <>
            <h3>Body</h3>
            <p className="quiet">{plainText(body.mediaType)}</p>
            <SchemaTree document={document} schema={body.schema} />
          </>
        )}
        <h3>Responses</h3>
        <ul className="responses">
          {responses.map(({ status, description: meaning, schema }) => (
            <li key={status}>
              <p>
                <strong>{status}</strong> {plainText(meaning)}
              </p>
              {schema !== undefined && <SchemaTree document={document} schema={schema} />}
            </li>
          ))}
        </ul>
      </section>
      <TryOperation operation={operation} document={document} />
    </article>
  );
}

interface ParameterTableProps {
  readonly document: OpenApi;
  readonly parameters: readonly Parameter[];
}

const ParameterTable = ({ document, parameters }: ParameterTableProps) => (
  <dl className="parameters">
    {parameters.map(({ name, in: place, required = false, schema, description = '' }) => (
      <div key={`${place} ${name}`}>
        <dt>
          <code>{plainText(name)}</code> <span className="quiet">{place}</span>
          {required && <span className="required"> required</span>}
        </dt>
        <dd>
          <span className="quiet">{plainText(typeText(document, schema))}</span>
          {description !== '' && <> · {plainText(description)}</>}
        </dd>
      </div>
    ))}
  </dl>
);

interface SchemaTreeProps {
  readonly document: OpenApi;
  readonly schema: Referable<Schema> | undefined;
  /** How many levels are above. Default 0. */
  readonly depth?: number;
}

/** More properties than these are shown when asked for. */
const maxShown = 40;

/** The properties of a schema; those of objects are opened one level at a time. */
function SchemaTree({ document, schema, depth = 0 }: SchemaTreeProps) {
  const [isWhole, setWhole] = useState(false);
  const found = flattened(document, schema);
  const inner = found?.items === undefined ? schema : found.items;
  const object = flattened(document, inner);
  const properties = Object.entries(object?.properties ?? {});
  const name = referenceName(inner);
  if (properties.length === 0) return <p className="quiet">{plainText(typeText(document, schema))}</p>;
  const shown = isWhole ? properties : properties.slice(0, maxShown);
  return (
    <div className="schema">
      {depth === 0 && (
        <p className="quiet">
          {found?.items !== undefined && 'list of '}
          {plainText(name ?? 'object')}
        </p>
      )}
      <ul>
        {shown.map(([property, value]) => (
          <SchemaProperty
            key={property}
            document={document}
            name={property}
            schema={value}
            depth={depth}
            isRequired={object?.required?.includes(property) ?? false}
          />
        ))}
      </ul>
      {shown.length < properties.length && (
        <button type="button" className="button button-quiet" onClick={() => setWhole(true)}>
          {properties.length - shown.length} more
        </button>
      )}
    </div>
  );
}

interface SchemaPropertyProps {
  readonly document: OpenApi;
  readonly name: string;
  readonly schema: Referable<Schema>;
  readonly depth: number;
  readonly isRequired: boolean;
}

function SchemaProperty({ document, name, schema, depth, isRequired }: SchemaPropertyProps) {
  const [isOpen, setOpen] = useState(false);
  const found = flattened(document, schema);
  const inner = found?.items === undefined ? found : flattened(document, found.items);
  const hasMore = Object.keys(inner?.properties ?? {}).length > 0;
  const about = (
    <>
      <code>{plainText(name)}</code> <span className="quiet">{plainText(typeText(document, schema))}</span>
      {isRequired && <span className="required"> required</span>}
      {found?.default !== undefined && (
        <span className="quiet"> · default {plainText(JSON.stringify(found.default))}</span>
      )}
      {found?.description !== undefined && <span className="schema-about"> {plainText(found.description)}</span>}
    </>
  );
  if (!hasMore) return <li>{about}</li>;
  return (
    <li>
      <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>{about}</summary>
        {isOpen && <SchemaTree document={document} schema={schema} depth={depth + 1} />}
      </details>
    </li>
  );
}
