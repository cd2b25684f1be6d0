! An allocatable array of Fortran that the main thread has filled, and whose columns all threads sweep over.
! count: yes
! threads: 16
! env: FGOMP_MEMORY=auto HUGE=never
! also: column_settle.c
! limit: 60
module columns
    use iso_c_binding
    implicit none
    integer, parameter :: n_rows = 2048, n_columns = 1600
    real(c_double), allocatable, target :: a(:, :)
    interface
        subroutine column_begin(array, bytes) bind(c)
            import
            type(c_ptr), value :: array
            integer(c_size_t), value :: bytes
        end subroutine
        ! Calls both again and again. Returns how often it called the first.
        integer(c_int) function column_settle(step, ask) bind(c)
            import
            type(c_funptr), value :: step, ask
        end function
        subroutine column_ask(part, bytes) bind(c)
            import
            type(c_ptr), value :: part
            integer(c_size_t), value :: bytes
        end subroutine
    end interface
contains
    subroutine sweep() bind(c)
        integer :: i, j
        !$omp parallel do schedule(static) private(i)
        do j = 1, n_columns
            do i = 1, n_rows
                a(i, j) = a(i, j) + j
            end do
        end do
    end subroutine

    ! One column in ten.
    subroutine ask() bind(c)
        integer :: j
        !$omp parallel do schedule(static)
        do j = 1, n_columns
            if (mod(j, 10) == 0) call column_ask(c_loc(a(1, j)), int(n_rows * 8, c_size_t))
        end do
    end subroutine
end module

program column
    use columns
    implicit none
    integer :: j, steps
    allocate (a(n_rows, n_columns))
    call column_begin(c_loc(a), int(n_rows, c_size_t) * n_columns * 8)
    a = 1
    steps = column_settle(c_funloc(sweep), c_funloc(ask))
    do j = 1, n_columns
        if (any(a(:, j) /= 1 + real(j, c_double) * steps)) error stop "a column is wrong"
    end do
    deallocate (a)
end program
