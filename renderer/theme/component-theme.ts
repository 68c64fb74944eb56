/** Text in inputs and buttons is as large as the labels beside them; the kit makes small controls smaller. */
const controlText = 'py-1 text-sm/5'
const disabledButton = 'disabled:bg-elevated disabled:text-dimmed disabled:opacity-100'
/** `!`, since the kit sets it inline. */
const fadingOut = 'data-[state=closed]:pointer-events-none!'
const chosen = 'rounded-[inherit] bg-amber-400 text-slate-950 ring ring-inset ring-amber-600'
const fieldTheme = {
  compoundVariants: [
    { size: 'sm', fixed: false, class: { base: `${controlText} md:text-sm/5` } },
    { color: 'neutral', variant: 'outline', class: { base: 'ring-(--field-ring)' } },
  ],
  // The amber of lines is a brown that reads as an error, so fields stay neutral.
  defaultVariants: { size: 'sm', color: 'neutral' },
} as const

/**
 * Theme of the UI kit's components: slate surfaces, one sun-amber accent, small corners, dense rows. A checked box,
 * radio button, or switch is amber with a dark mark, like the checkboxes of `.row-box`.
 */
export const componentTheme = {
  colors: {
    primary: 'amber',
    neutral: 'slate',
    success: 'emerald',
    info: 'sky',
    warning: 'orange',
    error: 'red',
  },
  button: {
    slots: { base: 'font-medium cursor-pointer disabled:cursor-not-allowed' },
    compoundVariants: [
      {
        color: 'primary',
        variant: 'outline',
        // Filled, without an outline. Dark text on amber: white on it is not readable (WCAG 2.2, 1.4.3).
        class:
          `ring-0 bg-amber-400 text-slate-950 hover:bg-amber-300 active:bg-amber-500 ${disabledButton} ` +
          'aria-disabled:bg-elevated aria-disabled:text-dimmed aria-disabled:opacity-100 ' +
          'dark:disabled:bg-elevated dark:aria-disabled:bg-elevated',
      },
      { color: 'error', variant: 'solid', class: disabledButton },
      { size: 'sm', class: { base: `${controlText} min-h-7` } },
      { color: 'neutral', variant: 'outline', class: disabledButton },
    ],
    defaultVariants: { size: 'sm', color: 'neutral', variant: 'outline' },
  },
  badge: { defaultVariants: { size: 'sm', variant: 'subtle' } },
  input: fieldTheme,
  inputMenu: fieldTheme,
  inputNumber: fieldTheme,
  select: fieldTheme,
  textarea: fieldTheme,
  alert: { slots: { description: 'text-pretty' } },
  // The outlines of boxes and switches have a contrast of 3:1 (WCAG 2.2, 1.4.11).
  checkbox: {
    slots: { base: 'ring-slate-500 dark:ring-slate-400' },
    compoundVariants: [{ color: 'primary', class: { indicator: chosen } }],
  },
  radioGroup: {
    slots: { fieldset: 'gap-x-6', base: 'ring-slate-500 dark:ring-slate-400' },
    compoundVariants: [{ color: 'primary', class: { indicator: `${chosen} after:bg-slate-950` } }],
  },
  switch: {
    slots: {
      base: 'data-[state=unchecked]:bg-slate-500',
      thumb: 'bg-white shadow-none data-[state=checked]:bg-slate-950',
    },
    compoundVariants: [
      {
        color: 'primary',
        class: {
          base: 'data-[state=checked]:bg-amber-400 data-[state=checked]:ring data-[state=checked]:ring-amber-600',
        },
      },
    ],
  },
  tabs: {
    compoundVariants: [
      {
        color: 'neutral',
        variant: 'pill',
        class: { indicator: 'bg-default ring ring-accented', trigger: 'data-[state=active]:text-highlighted' },
      },
    ],
  },
  // What fades out takes no click: it may show what is next already.
  // An error in the footer is in a line of its own, above the buttons.
  modal: { slots: { content: fadingOut, header: 'shrink-0', footer: 'flex-wrap justify-end gap-y-3 shrink-0' } },
  dropdownMenu: { slots: { content: fadingOut } },
} as const
