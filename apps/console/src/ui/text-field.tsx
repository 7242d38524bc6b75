import type { InputHTMLAttributes } from 'react';

interface TextFieldProps extends Pick<InputHTMLAttributes<HTMLInputElement>, 'type' | 'placeholder' | 'list'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Default: something must be given. */
  readonly isOptional?: boolean;
  /** A word more on it. Default: none. */
  readonly about?: string;
}

/** A line of text with its label. */
export const TextField = ({ label, value, onChange, isOptional = false, about, ...rest }: TextFieldProps) => (
  <label className="field">
    <span>
      {label}
      {isOptional && <span className="quiet"> (optional)</span>}
    </span>
    <input
      value={value}
      required={!isOptional}
      spellCheck={false}
      autoComplete="off"
      {...rest}
      onChange={({ target }) => onChange(target.value)}
    />
    {about !== undefined && <span className="quiet field-about">{about}</span>}
  </label>
);
