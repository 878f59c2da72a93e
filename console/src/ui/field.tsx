import { clsx } from 'clsx';
import type { ComponentProps, KeyboardEvent, ReactNode } from 'react';

const BOX =
  'w-full rounded-lg border border-line-strong/70 bg-card px-3 py-2 text-ink placeholder:text-faint focus-visible:border-accent focus-visible:outline-offset-0';

export function Field({
  label,
  about,
  children,
}: {
  readonly label: string;
  readonly about?: string;
  readonly children: ReactNode;
}) {
  return (
    <label className="block">
      <span className="mb-1 block text-sm font-medium text-soft">{label}</span>
      {children}
      {about !== undefined && <span className="mt-1 block text-xs text-faint">{about}</span>}
    </label>
  );
}

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={clsx(BOX, 'min-h-9 leading-tight', className)} {...rest} />;
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={clsx(BOX, 'resize-none', className)} {...rest} />;
}

interface SelectProps<Value extends string> extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onChoose: (value: Value) => void;
}

export function Select<Value extends string>({
  label,
  value,
  options,
  onChoose,
  className,
  ...rest
}: SelectProps<Value>) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = options.find(([one]) => one === event.target.value);
        if (chosen) onChoose(chosen[0]);
      }}
      className={clsx(
        'min-h-9 max-w-full rounded-lg border border-line bg-card px-2.5 py-1.5 text-[0.93rem] text-ink hover:border-line-strong',
        className,
      )}
      {...rest}
    >
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** Enter sends, Shift+Enter starts a new line; an Enter that confirms an input method's conversion does neither. */
export function isSendingEnter(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !isComposing(event);
}

/** Safari reports a conversion only by the key code. */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}
