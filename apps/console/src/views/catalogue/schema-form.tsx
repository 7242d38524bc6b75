import { useId } from 'react';
import { type FormField, type FormValues, isFurther, readField, valueAt, withValue } from './schema-fields.ts';

interface SchemaFormProps {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  readonly onChange: (values: FormValues) => void;
}

/** The fields of a JSON schema. Those that few orders need are behind a summary. */
export function SchemaForm({ fields, values, onChange }: SchemaFormProps) {
  const show = (field: FormField) => (
    <SchemaField
      key={field.path.join('.')}
      field={field}
      value={valueAt(values, field.path)}
      onChange={value => onChange(withValue(values, field.path, value))}
    />
  );
  const further = fields.filter(isFurther);
  return (
    <>
      {fields.filter(field => !isFurther(field)).map(show)}
      {further.length > 0 && (
        <details className="further">
          <summary>Further parameters ({further.length})</summary>
          {further.map(show)}
        </details>
      )}
    </>
  );
}

interface SchemaFieldProps {
  readonly field: FormField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function SchemaField({ field, value, onChange }: SchemaFieldProps) {
  const id = useId();
  const { label, description, isRequired, type } = field;
  if (type === 'boolean')
    return (
      <div className="field">
        <label className="check">
          <input type="checkbox" checked={value === true} onChange={event => onChange(event.target.checked)} />
          {label}
        </label>
        {description !== '' && <p className="quiet">{description}</p>}
      </div>
    );
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isRequired && <span className="quiet"> (required)</span>}
      </label>
      <Input id={id} field={field} value={value} onChange={onChange} />
      {description !== '' && (
        <p className="quiet" id={`${id}-about`}>
          {description}
        </p>
      )}
    </div>
  );
}

function Input({ id, field, value, onChange }: SchemaFieldProps & { readonly id: string }) {
  const { type, choices, description, isRequired, schema } = field;
  const common = { id, required: isRequired, 'aria-describedby': description === '' ? undefined : `${id}-about` };
  const text = textOf(value);
  switch (type) {
    case 'choice':
      return (
        <select
          {...common}
          value={choices.indexOf(value)}
          onChange={event => onChange(choices[Number(event.target.value)])}
        >
          <option value={-1}>–</option>
          {choices.map((choice, index) => (
            <option key={String(choice)} value={index}>
              {String(choice)}
            </option>
          ))}
        </select>
      );
    case 'list':
      return (
        <textarea
          {...common}
          rows={3}
          value={text}
          placeholder="One on each line"
          onChange={event => onChange(readField(field, event.target.value))}
        />
      );
    case 'structure':
      return <p className="quiet">Write this one in the YAML beside the form.</p>;
    default:
      return (
        <input
          {...common}
          type={type === 'text' ? 'text' : 'number'}
          step={type === 'integer' ? 1 : 'any'}
          min={schema.minimum}
          max={schema.maximum}
          maxLength={schema.maxLength}
          value={text}
          spellCheck={false}
          onChange={event => onChange(readField(field, event.target.value))}
        />
      );
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
