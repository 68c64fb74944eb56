/** How the UI kit's components look here: slate surfaces, one sun-amber accent, small corners, dense rows. */
export const componentLook = {
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
        variant: 'solid',
        // Dark text on amber: white on it is not readable (WCAG 2.2, 1.4.3).
        class:
          'bg-amber-400 text-slate-950 hover:bg-amber-300 active:bg-amber-500 disabled:bg-accented disabled:text-muted disabled:opacity-100 aria-disabled:bg-accented aria-disabled:text-muted aria-disabled:opacity-100',
      },
    ],
    defaultVariants: { size: 'sm' },
  },
  badge: { defaultVariants: { size: 'sm', variant: 'subtle' } },
  input: { defaultVariants: { size: 'sm' } },
  select: { defaultVariants: { size: 'sm' } },
  modal: { slots: { footer: 'justify-end' } },
  textarea: { defaultVariants: { size: 'sm' } },
} as const
